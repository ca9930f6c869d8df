// Owns the judgement of a given message by itself, with the keys of the command line or those of a home.

import type { StageName } from '../../src/internal.ts';
import type { CommandContext } from '../kit/command.ts';
import { openIdentity } from '../home/identities.ts';
import { withHomeStore } from '../home/store.ts';
import type { Judgement } from './judge.ts';
import { judgeAlone } from './judge.ts';
import type { GivenMessage, KeySource } from './options.ts';
import { senderByGivenKeys, senderByHome } from './sender.ts';

export interface AloneOptions {
  readonly stages: ReadonlySet<StageName>;
  /** A signature for which no key was given is skipped, not failed. @default false */
  readonly mayBeUnverified?: boolean;
}

export async function judgeWith(
  source: KeySource,
  message: GivenMessage,
  { stages, mayBeUnverified = false }: AloneOptions,
  context: CommandContext,
): Promise<Judgement> {
  if ('given' in source) {
    const { signing, decryption: ownKeys } = source.given;
    return judgeAlone(
      message,
      {
        stages,
        ownKeys,
        mayBeUnverified: mayBeUnverified && signing.length === 0,
        findSender: (envelope) => senderByGivenKeys(envelope, signing, context),
      },
      context,
    );
  }
  const { role } = source;
  // Secrets may be under a passphrase: they are asked for only by who needs them.
  const ownKeys = stages.has('decrypt') ? (await openIdentity(context, role)).keys : [];
  return withHomeStore(role, context, (store) =>
    judgeAlone(
      message,
      {
        stages,
        ownKeys,
        findSender: (envelope) => senderByHome(envelope, role, store, context),
      },
      context,
    ),
  );
}
