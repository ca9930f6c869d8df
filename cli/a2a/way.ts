// Owns the way from the command line to agents of official A2A: the names, pins and secrets of the home. Nothing of the
// protocol is loaded before such an agent is asked. SPEC.md section 20 (#a2a-client-home).

import type { A2aAgent } from '../../profiles/a2a/client/agent.ts';
import type { BoundCredential } from '../../profiles/a2a/client/credentials/credential.ts';
import { a2aDialect } from '../../profiles/a2a/client/dialect.ts';
import type { A2aClientOptions } from '../../profiles/a2a/client/options.ts';
import type { Dialect } from '../../src/client/index.ts';
import type { TlsOptions } from '../../transports/http/index.ts';
import { CredentialBook } from '../credentials/book.ts';
import type { Home } from '../home/home.ts';
import type { KnownAgent } from './book.ts';
import { A2aAgentBook, pinFor } from './book.ts';

export interface A2aWay {
  readonly agents: A2aAgentBook;
  /** What is used of the home for the agent that the user means. @param url a name, or an address that was typed. */
  optionsFor(url: string): A2aClientOptions;
  /** Takes in secrets that were changed meanwhile. */
  reloadIfChanged(): Promise<void>;
}

/** @param tls what the command was given, which counts before what the home has. */
export async function openA2aWay(home: Home, tls: TlsOptions): Promise<A2aWay> {
  const [agents, book] = await Promise.all([A2aAgentBook.open(home), CredentialBook.open(home)]);
  return {
    agents,
    async reloadIfChanged() {
      await book.reloadIfChanged();
    },
    optionsFor: (target) => {
      const url = agents.get(target)?.cardUrl ?? target;
      const shown = certificateOf(url, tls);
      const ca = tls.ca ?? authoritiesAt(url, agents.list());
      return {
        // The first of several certificates for an origin is the one that is shown.
        credentials: () => [...shown, ...book.list()],
        pin: (_origin, cardUrl) => pinFor(cardUrl, agents.list()),
        ...(ca !== undefined && { ca }),
      };
    },
  };
}

/** @param onConnect told of each agent that was found. */
export function dialectOf(way: A2aWay, onConnect: (agent: A2aAgent) => void): Dialect {
  const agents = (name: string): string | undefined => way.agents.get(name)?.cardUrl;
  return {
    ...a2aDialect({ agents }),
    connect: (target, context) =>
      a2aDialect({ agents, onConnect, ...way.optionsFor(target) }).connect(target, context),
  };
}

/** That of the command line goes where the user typed, and nowhere else. */
function certificateOf(url: string, { cert, key }: TlsOptions): readonly BoundCredential[] {
  if (cert === undefined || key === undefined || !URL.canParse(url)) return [];
  return [{ scheme: 'certificate', origin: new URL(url).origin, cert, key }];
}

function authoritiesAt(url: string, agents: readonly KnownAgent[]): string | undefined {
  if (!URL.canParse(url)) return undefined;
  const { origin } = new URL(url);
  const found = agents.flatMap(({ tlsCa, cardUrl }) =>
    tlsCa !== undefined && new URL(cardUrl).origin === origin ? [tlsCa] : [],
  );
  return found.length === 0 ? undefined : found.join('\n');
}
