// Peers of the reference as our peer book knows them: a label for an id, keys with names of their own, and the switches
// that each needs. Nothing is opened that is not listed here.

import type { SecurityMode } from '../../src/envelope/index.ts';
import type { CompatSwitch } from '../../src/security/index.ts';
import type { OurHome } from './our-agent.ts';
import type { ReferenceKey, ReferenceKeys, ReferencePeer } from './reference-peer.ts';

export interface LabelPeer {
  readonly agentId: string;
  readonly sign: ReferenceKey & { readonly kid: string };
  readonly enc: ReferenceKey & { readonly kid: string };
}

/** The modes that the reference demands or sends. */
export type Mode = Exclude<SecurityMode, 'enc'>;

/** What our daemon must let pass so that the reference's client can ask in a mode. */
export const CLIENT_SWITCHES: Readonly<Record<Mode, CompatSwitch[]>> = {
  none: ['label-id', 'unsigned-requests'],
  sig: ['label-id'],
  'enc+sig': ['label-id', 'unbound-enc'],
};

/** What our client must let pass so that the reference's server can answer a mode: it never signs and never encrypts. */
export const SERVER_SWITCHES: Readonly<Record<Mode, CompatSwitch[]>> = {
  none: ['label-id', 'unsigned-replies'],
  sig: ['label-id', 'unsigned-replies'],
  'enc+sig': ['label-id', 'unsigned-replies', 'plain-replies'],
};

export async function newLabelPeer(reference: ReferencePeer, name: string): Promise<LabelPeer> {
  const agentId = `did:key:${name}`;
  const { sign, enc } = await reference.ask<ReferenceKeys>('keys');
  return {
    agentId,
    sign: { ...sign, kid: `${agentId}#sig1` },
    enc: { ...enc, kid: `${agentId}#enc1` },
  };
}

export interface AddedPeer {
  readonly switches: readonly CompatSwitch[];
  readonly urls?: readonly string[];
  readonly canon?: 'python' | 'cbor';
  /** Its encryption key goes into the book too. @default true */
  readonly hasEncKey?: boolean;
}

/** Into the book of the agent, which the operator uses too. */
export async function addPeer(
  home: OurHome,
  { agentId, sign, enc }: LabelPeer,
  { switches, urls = [], canon, hasEncKey = true }: AddedPeer,
): Promise<void> {
  const words = ['peers', 'add', agentId, '--sign-key', `${sign.kid}=${sign.public}`];
  if (hasEncKey) words.push('--enc-key', `${enc.kid}=${enc.public}`);
  for (const name of switches) words.push('--compat', name);
  for (const url of urls) words.push('--url', url);
  if (canon !== undefined) words.push('--canon', canon);
  await home.succeed(...words);
}
