// Owns the agents of official A2A that this home knows: where their cards are, and what the user has agreed to of each.
// SPEC.md section 20 (#a2a-client-home).

import type { BookFormat, BookPage } from '../../keys/index.ts';
import { BookFile } from '../../keys/index.ts';
import type { CardKey } from '../../profiles/a2a/card/keys.ts';
import { cardKeysIn } from '../../profiles/a2a/card/keys.ts';
import type { CardPin } from '../../profiles/a2a/client/discovery/proof.ts';
import type { JsonObject, JsonValue } from '../../src/codec/index.ts';
import { isJsonArray, isJsonObject, readJson, writeJson } from '../../src/codec/index.ts';
import type { Home } from '../home/home.ts';
import { failure } from '../kit/exit.ts';

const FORMAT = 'a2a-sdl/a2a-agents/v1';

export interface KnownAgent {
  /** Of its card. */
  readonly cardUrl: string;
  /** What the user calls it. */
  readonly name?: string;
  /** What it calls itself. */
  readonly title: string;
  /** One of them must have signed its card; none: its card need not be signed. */
  readonly keys: readonly CardKey[];
  /** Where its requests may go, beside the origin of its card. */
  readonly origins: readonly string[];
  /** Authorities that may vouch for its servers, as PEM. */
  readonly tlsCa?: string;
}

const BOOK: BookFormat<KnownAgent> = {
  name: 'the book of A2A agents',
  read(bytes) {
    const book = readJson(bytes);
    const list = isJsonObject(book) && book['format'] === FORMAT ? book['agents'] : undefined;
    if (list === undefined || !isJsonArray(list))
      throw doesNotHold(`its format is not "${FORMAT}"`);
    return list.map(readAgent);
  },
  write: (agents) => writeJson({ format: FORMAT, agents: agents.map(writeAgent) }),
};

function doesNotHold(words: string): Error {
  return failure(`the book of A2A agents does not hold: ${words}`);
}

function readAgent(value: JsonValue, at: number): KnownAgent {
  const entry = isJsonObject(value) ? value : {};
  const { card_url: cardUrl, name, title, keys = [], origins, tls_ca: tlsCa } = entry;
  const pinned = cardKeysIn(keys);
  const isWhole =
    typeof cardUrl === 'string' &&
    URL.canParse(cardUrl) &&
    typeof title === 'string' &&
    isTextOrNone(name) &&
    isTextOrNone(tlsCa) &&
    // A key that was lost would be a pin that is not kept to.
    isJsonArray(keys) &&
    pinned.length === keys.length &&
    origins !== undefined &&
    isJsonArray(origins) &&
    origins.every((origin) => typeof origin === 'string');
  if (!isWhole) throw doesNotHold(`agents[${at}] is none`);
  return {
    cardUrl,
    ...(name !== undefined && { name }),
    title,
    keys: pinned,
    origins,
    ...(tlsCa !== undefined && { tlsCa }),
  };
}

function isTextOrNone(value: JsonValue | undefined): value is string | undefined {
  return value === undefined || typeof value === 'string';
}

function writeAgent({ cardUrl, name, title, keys, origins, tlsCa }: KnownAgent): JsonObject {
  return {
    card_url: cardUrl,
    ...(name !== undefined && { name }),
    title,
    keys: keys.map((key): JsonObject => ({ ...key })),
    origins: [...origins],
    ...(tlsCa !== undefined && { tls_ca: tlsCa }),
  };
}

/** Reads answer from memory; a change reads the file anew and replaces it as a whole. */
export class A2aAgentBook {
  readonly #file: BookFile<KnownAgent>;
  #page: BookPage<KnownAgent>;

  private constructor(file: BookFile<KnownAgent>, page: BookPage<KnownAgent>) {
    this.#file = file;
    this.#page = page;
  }

  static async open({ a2aAgents }: Pick<Home, 'a2aAgents'>): Promise<A2aAgentBook> {
    const file = new BookFile(a2aAgents, BOOK);
    return new A2aAgentBook(file, await file.read());
  }

  list(): readonly KnownAgent[] {
    return this.#page.entries;
  }

  /** By the name that the user gave it, or by the address of its card. */
  get(nameOrUrl: string): KnownAgent | undefined {
    return (
      this.list().find(({ name }) => name === nameOrUrl) ??
      this.list().find(({ cardUrl }) => cardUrl === nameOrUrl)
    );
  }

  /** In the place of the one with the same card. Throws where another one has its name. */
  async put(agent: KnownAgent): Promise<void> {
    this.#page = await this.#file.rewrite((agents) => {
      const others = agents.filter(({ cardUrl }) => cardUrl !== agent.cardUrl);
      if (agent.name !== undefined && others.some(({ name }) => name === agent.name)) {
        throw failure(`another agent is known as ${JSON.stringify(agent.name)}`, {
          code: 'PEER_KNOWN',
          next: 'choose another name with --name',
        });
      }
      return [...others, agent];
    });
  }

  async remove({ cardUrl }: KnownAgent): Promise<void> {
    this.#page = await this.#file.rewrite((agents) =>
      agents.filter((agent) => agent.cardUrl !== cardUrl),
    );
  }
}

/**
 * What was agreed to of the agent with this card. A card at an origin of known agents that is none of theirs, such as the
 * same one under its former name, must keep to what all of them have agreed to: nobody gets around a pin that way.
 */
export function pinFor(cardUrl: string, agents: readonly KnownAgent[]): CardPin | undefined {
  const { origin } = new URL(cardUrl);
  const there = agents.filter((agent) => new URL(agent.cardUrl).origin === origin);
  const counting = there.filter((agent) => agent.cardUrl === cardUrl);
  const agreed = counting.length > 0 ? counting : there;
  if (agreed.length === 0) return undefined;
  const keys = agreed.flatMap((agent) => agent.keys);
  return {
    ...(keys.length > 0 && { keys }),
    origins: [...new Set(agreed.flatMap((agent) => agent.origins))],
  };
}
