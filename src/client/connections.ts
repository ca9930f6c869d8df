// Owns the ways out: which dialer for which address, and one connection per address for as long as it holds.
// SPEC.md section 11 (#transport-correlation).

import type { Limits } from '../limits.ts';
import type { Connection, Dialer } from '../transport.ts';
import { TransportError } from '../transport.ts';

export class Connections {
  readonly #dialers: readonly Dialer[];
  readonly #limits: Limits;
  readonly #open = new Map<string, Promise<Connection>>();

  constructor(dialers: readonly Dialer[], limits: Limits) {
    this.#dialers = dialers;
    this.#limits = limits;
  }

  /** The first of these addresses that there is a way to. */
  choose(endpoints: readonly string[]): string | undefined {
    return endpoints.find((url) => this.#dialerFor(url) !== undefined);
  }

  async get(url: string): Promise<Connection> {
    const known = this.#open.get(url);
    if (known !== undefined) {
      const connection = await known.catch(() => undefined);
      if (connection?.isOpen === true) return connection;
      // Another exchange may have dialled meanwhile.
      const newer = this.#open.get(url);
      if (newer !== undefined && newer !== known) return newer;
    }
    const dialer = this.#dialerFor(url);
    if (dialer === undefined) {
      throw new TransportError('unreachable', noWayTo(url));
    }
    const dialing = dialer.dial(url, { limits: this.#limits });
    this.#open.set(url, dialing);
    dialing.catch(() => {
      if (this.#open.get(url) === dialing) this.#open.delete(url);
    });
    return dialing;
  }

  async close(): Promise<void> {
    const all = [...this.#open.values()];
    this.#open.clear();
    await Promise.allSettled(all.map(async (dialing) => (await dialing).close()));
  }

  #dialerFor(url: string): Dialer | undefined {
    const scheme = schemeOf(url);
    return this.#dialers.find(({ schemes }) => schemes.includes(scheme));
  }
}

/** Where the way to such an address is found. */
const ENTRIES: Readonly<Record<string, string>> = {
  'http:': 'http',
  'https:': 'http',
  'ws:': 'ws',
  'wss:': 'ws',
  'ipc:': 'ipc',
};

/** Says what to do about an address that no transport was given for. */
export function noWayTo(url: string): string {
  const scheme = schemeOf(url);
  const entry = ENTRIES[scheme];
  const words = `no transport was given for "${scheme}" addresses`;
  return entry === undefined
    ? words
    : `${words}: import { ${entry} } from "a2a-sdl/transports/${entry}" and give "transports: [${entry}()]"`;
}

function schemeOf(url: string): string {
  return url.slice(0, url.indexOf(':') + 1);
}
