// Owns the latch of a client against downgrades: an agent that was once reached sealed is never taken for one that cannot
// be sealed to, until the operator says so. SPEC.md section 20.1 (#a2a-client-sealed-latch).

import type { JsonObject } from '../../../../src/door/index.ts';
import type { Places } from './places.ts';

const SPACE = 'sealed-reached';

export class ReachedAgents {
  readonly #places: Places;

  constructor(places: Places) {
    this.#places = places;
  }

  /** The agent that was reached sealed at the first of these addresses. */
  async at(urls: readonly string[]): Promise<string | undefined> {
    for (const place of placesOf(urls)) {
      const agentId = (await this.#places.read(SPACE, place))?.['agentId'];
      if (typeof agentId === 'string') return agentId;
    }
    return undefined;
  }

  /** It has proven what it said. Nothing of it expires. */
  async raise(urls: readonly string[], agentId: string): Promise<void> {
    const places = placesOf(urls);
    for (const place of places) {
      await this.#places.change(
        SPACE,
        place,
        (before) => before ?? { agentId, places: [...places] },
      );
    }
  }

  /** For the operator alone: the agent starts anew. False where none was reached sealed there. */
  async reset(url: string): Promise<boolean> {
    const [place] = placesOf([url]) as [string];
    const found = await this.#places.read(SPACE, place);
    for (const one of new Set([place, ...namesIn(found)])) {
      await this.#places.change(SPACE, one, () => undefined);
    }
    return found !== undefined;
  }
}

function namesIn(found: JsonObject | undefined): readonly string[] {
  const names = found?.['places'];
  return Array.isArray(names) ? names.filter((name) => typeof name === 'string') : [];
}

/** Wherever below an address the card is found, it is the same agent: else moving the card would be a way around. */
function placesOf(urls: readonly string[]): readonly string[] {
  const places = urls.map((url) => {
    const { origin, pathname } = new URL(url);
    return `${origin}${pathname.replace(/\/\.well-known\/agent(-card)?\.json$/, '').replace(/\/+$/, '')}`;
  });
  return [...new Set(places)];
}
