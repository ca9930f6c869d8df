// Owns the command `inspect`: a message through the checks, one by one, with the reason where one fails.
// SPEC.md section 13 (#checks).

import type { StageName } from '../../src/internal.ts';
import type { Action } from '../kit/command.ts';
import { EXIT } from '../kit/exit.ts';
import { judgeWith } from './evidence.ts';
import { withHomeStore } from '../home/store.ts';
import { judgeAtHome } from './judge.ts';
import {
  DECRYPT_KEY_OPTION,
  ENCODING_OPTION,
  KEY_NOTES,
  MESSAGE_PARAMETER,
  ROLE_OPTION,
  SIGN_KEY_OPTION,
  readKeySource,
  readMessage,
} from './options.ts';
import { explanationOf, judgementDocument, showExplanation, showJudgement } from './view.ts';
import { PASSPHRASE_OPTION } from '../home/passphrase-file.ts';
import { STORE_OPTION } from '../store/place.ts';

/** What can be said of a message without a receiver. */
const STAGES: ReadonlySet<StageName> = new Set([
  'decode',
  'shape',
  'verify',
  'decrypt',
  'bind',
  'schema',
]);

export const inspectCommand: Action = {
  name: 'inspect',
  summary: 'show what a receiver makes of a message, check by check',
  parameters: [MESSAGE_PARAMETER],
  options: {
    'sign-key': SIGN_KEY_OPTION,
    'decrypt-key': DECRYPT_KEY_OPTION,
    encoding: ENCODING_OPTION,
    as: ROLE_OPTION,
    store: STORE_OPTION,
    'passphrase-file': PASSPHRASE_OPTION,
  },
  notes: [
    ...KEY_NOTES,
    'A message, task or event of official A2A is known by its form: shown is what of it is sealed and by whom, what\n' +
      'whoever passed it on could read, and what of it holds for the identity of --as.',
    'Nothing is recorded and nothing is done: the message can still be delivered afterwards.',
  ],
  examples: [
    'a2a-sdl inspect message.json',
    'a2a-sdl inspect message.cbor --sign-key sig-1=sender.pem --decrypt-key enc-1=mine.pem',
    'a2a-sdl sign --ct task.v1 --to agent task.json | a2a-sdl inspect - --json',
  ],
  async run(context) {
    const { terminal } = context;
    const source = await readKeySource(context);
    const message = await readMessage(context);
    const { a2aIn, inspectA2a } = await import('./a2a.ts');
    const a2a = message.encoding === 'json' ? a2aIn(message.bytes) : undefined;
    if (a2a !== undefined)
      return inspectA2a(a2a, 'role' in source ? source.role : undefined, context);
    const judgement =
      'given' in source
        ? await judgeWith(source, message, { stages: STAGES }, context)
        : await withHomeStore(source.role, context, (store) =>
            judgeAtHome(message, source.role, store, context),
          );
    const explanation = await explanationOf(judgement);
    terminal.result(judgementDocument(judgement, explanation), () => {
      showJudgement(judgement, terminal);
      if (explanation !== undefined) showExplanation(explanation, terminal);
    });
    return judgement.report.ok ? EXIT.ok : EXIT.failed;
  },
};
