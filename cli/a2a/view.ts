// Owns how an agent of official A2A is shown, to people and to programs: as it was found, and as it is known.

import type { A2aAgent } from '../../profiles/a2a/client/agent.ts';
import type { ChosenInterface } from '../../profiles/a2a/client/discovery/choose.ts';
import type { OfferedInterface } from '../../profiles/a2a/client/discovery/known-card.ts';
import type { JsonObject } from '../../src/codec/index.ts';
import { certificateFingerprints } from '../client/tls.ts';
import type { KnownAgent } from './book.ts';
import { thumbprintOf } from './thumbprint.ts';
import { keyWords, proofWords } from './words.ts';

const MOST_SKILLS = 20;

/** A card, and how it was proven. */
export interface ShownCard extends Pick<A2aAgent, 'card' | 'proof'> {
  /** None for one in a file. */
  readonly cardUrl?: string;
  /** Or why none of its addresses can be used. */
  readonly chosen: ChosenInterface | string;
}

/** What the home keeps of it. */
export function knownDocument(agent: KnownAgent): JsonObject {
  const { cardUrl, name, title, keys, origins, tlsCa } = agent;
  return {
    book: 'a2a',
    ...(name !== undefined && { name }),
    card_url: cardUrl,
    title,
    pinned_keys: keys.map((key) => ({ kid: key.kid, thumbprint: thumbprintOf(key) })),
    pinned_origins: [...origins],
    ...(tlsCa !== undefined && { tls_ca: certificateFingerprints(tlsCa) ?? [] }),
  };
}

export function knownRows({ cardUrl, name, title, keys, origins, tlsCa }: KnownAgent): string[][] {
  return [
    ['book', 'a2a'],
    ...(name === undefined ? [] : [['name', name]]),
    ['card', cardUrl],
    ['calls itself', JSON.stringify(title)],
    ...(keys.length === 0
      ? [['pinned key', 'none: its card need not be signed']]
      : keys.map((key) => ['pinned key', keyWords(key)])),
    ...origins.map((origin) => ['pinned origin', origin]),
    ...(tlsCa === undefined
      ? []
      : [['tls ca', certificateFingerprints(tlsCa)?.join(', ') ?? 'unreadable']]),
  ];
}

/** What its card says, how that was proven, and what is used of it. */
export function foundDocument({ card, cardUrl, proof, chosen }: ShownCard): JsonObject {
  return {
    ...(cardUrl !== undefined && { card_url: cardUrl }),
    title: card.name,
    description: card.description,
    version: card.version,
    proof:
      proof.kind === 'signed'
        ? {
            kind: proof.kind,
            by: proof.by,
            kid: proof.key.kid,
            thumbprint: thumbprintOf(proof.key),
            alg: proof.alg,
            form: proof.form,
          }
        : { kind: proof.kind, reason: proof.reason },
    used: usedDocument(chosen),
    interfaces: card.interfaces.map((one) => ({
      url: one.url,
      binding: one.binding,
      version: one.version,
      ...(one.tenant !== undefined && { tenant: one.tenant }),
    })),
    streaming: card.streaming,
    push_notifications: card.pushNotifications,
    extended_card: card.extendedCard,
    security: [...card.schemes],
    skills: card.skills.map(({ id, name, description }) => ({ id, name, description })),
  };
}

function usedDocument(chosen: ShownCard['chosen']): JsonObject {
  if (typeof chosen === 'string') return { reason: chosen };
  const { binding, version, url, reason } = chosen;
  return { binding, version, url, reason };
}

function usedWords(chosen: ShownCard['chosen']): string {
  if (typeof chosen === 'string') return `none: ${chosen}`;
  const { binding, version, url, reason } = chosen;
  return `A2A ${version} over ${binding} at ${url}: ${reason}`;
}

export function foundRows({ card, cardUrl, proof, chosen }: ShownCard): string[][] {
  const can = [
    card.streaming && 'streams',
    card.pushNotifications && 'notifications',
    card.extendedCard && 'extended card',
  ].filter((word) => typeof word === 'string');
  const skills = card.skills.slice(0, MOST_SKILLS);
  const more = card.skills.length - skills.length;
  return [
    ['calls itself', JSON.stringify(card.name)],
    ...(cardUrl === undefined ? [] : [['card', cardUrl]]),
    ['proof', proofWords(proof, cardUrl)],
    ...card.interfaces.map((one) => ['interface', interfaceWords(one)]),
    ['used', usedWords(chosen)],
    ['can', can.length === 0 ? 'no streams, no notifications' : can.join(', ')],
    ['asks for', card.schemes.length === 0 ? 'no credentials' : card.schemes.join(', ')],
    ...skills.map(({ id, description }) => ['skill', `${id}: ${JSON.stringify(description)}`]),
    ...(more > 0 ? [['skill', `and ${more} more`]] : []),
  ];
}

function interfaceWords({ url, binding, version, tenant }: OfferedInterface): string {
  const words = [binding, version === '' ? 'draft' : version, 'at', url];
  return [...words, ...(tenant === undefined ? [] : ['for', tenant])].join(' ');
}
