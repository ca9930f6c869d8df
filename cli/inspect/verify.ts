// Owns the command `verify`: does the signature of a message hold, and over which form of it? SPEC.md section 6 (#sec-canon).

import type { StageName } from '../../src/internal.ts';
import type { Action } from '../kit/command.ts';
import { EXIT } from '../kit/exit.ts';
import { judgeWith } from './evidence.ts';
import {
  ENCODING_OPTION,
  KEY_NOTES,
  MESSAGE_PARAMETER,
  ROLE_OPTION,
  SIGN_KEY_OPTION,
  readKeySource,
  readMessage,
} from './options.ts';
import { describeForm, heldForm } from './signature.ts';
import { explanationDocument, explanationOf, showExplanation, signerOf } from './view.ts';
import { STORE_OPTION } from '../store/place.ts';

const STAGES: ReadonlySet<StageName> = new Set(['decode', 'shape', 'verify']);

export const verifyCommand: Action = {
  name: 'verify',
  summary: 'say whether the signature of a message holds',
  parameters: [MESSAGE_PARAMETER],
  options: {
    'sign-key': SIGN_KEY_OPTION,
    encoding: ENCODING_OPTION,
    as: ROLE_OPTION,
    store: STORE_OPTION,
  },
  notes: [
    ...KEY_NOTES,
    'Only the signature is judged: whether the message is fresh, new and wanted is for "inspect".\n' +
      'A message that is not signed does not verify.',
  ],
  examples: [
    'a2a-sdl verify message.json',
    'a2a-sdl verify message.json --sign-key sig-1=OyK8gB7SjrRHwtIGHzr_mXI2tvOIJMXo3nsvUWE1V0o',
  ],
  async run(context) {
    const { terminal } = context;
    const source = await readKeySource(context);
    const message = await readMessage(context);
    const judgement = await judgeWith(source, message, { stages: STAGES }, context);
    const { report, passage } = judgement;
    const form = heldForm(passage);
    const kid = passage.hasEnvelope ? (passage.envelope.sec?.kid ?? null) : null;
    if (form !== undefined) {
      const signer = signerOf(judgement);
      terminal.result({ ok: true, signer, kid, canon: form }, () => {
        terminal.print('the signature holds');
        terminal.table([
          ['signer', signer!],
          ['key', kid!],
          ['signed over', describeForm(passage)],
        ]);
      });
      return EXIT.ok;
    }
    // A message that is not signed fails nothing, and proves nothing.
    const refusing =
      report.checks.find(({ status }) => status === 'fail') ??
      report.checks.find(({ stage }) => stage === 'verify')!;
    const { stage, reason = '' } = refusing;
    const explanation = await explanationOf(judgement);
    const result = {
      ok: false,
      signer: null,
      kid,
      canon: null,
      stage,
      reason,
      ...(explanation && { explanation: explanationDocument(explanation) }),
    };
    terminal.result(result, () => {
      terminal.print(`not verified (${stage}): ${reason}`);
      if (explanation !== undefined) showExplanation(explanation, terminal);
    });
    return EXIT.failed;
  },
};
