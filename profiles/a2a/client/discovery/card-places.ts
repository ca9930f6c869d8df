// Owns where the card of an agent may be, from what a user typed. SPEC.md section 20 (#a2a-client-connect).

const WELL_KNOWN = '/.well-known/agent-card.json';
/** Where 0.3 had it before it was renamed. */
const FORMER = '/.well-known/agent.json';

/** Is this the address of a card, and of nothing else? */
export function isCardUrl(url: string): boolean {
  return /^https?:\/\/[^/?#]+(\/[^?#]*)?\/\.well-known\/agent(-card)?\.json$/i.test(url);
}

/** In the order in which they are tried. @param url of http or https. */
export function cardPlaces(url: string): readonly string[] {
  const { origin, pathname, search } = new URL(url);
  const path = pathname.replace(/\/+$/, '');
  if (path.endsWith('.json')) return [`${origin}${path}${search}`];
  // An agent that shares its host with others has its card below its own path.
  return [...new Set([`${origin}${path}`, origin])].flatMap((base) => [
    `${base}${WELL_KNOWN}`,
    `${base}${FORMER}`,
  ]);
}
