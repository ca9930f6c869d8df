// Owns the command `decrypt`: the payload of a message exactly as it was sealed. SPEC.md section 6 (#sec-encrypt, #sec-order).

import type { JsonObject } from '../../src/codec/index.ts';
import { readJson } from '../../src/codec/index.ts';
import { SdlError } from '../../src/errors.ts';
import type { StageName } from '../../src/internal.ts';
import { encodeBase64url } from '../../src/security/index.ts';
import type { Action } from '../kit/command.ts';
import { EXIT, failure } from '../kit/exit.ts';
import { judgeWith } from './evidence.ts';
import type { Judgement } from './judge.ts';
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
import { OUT_OPTION, writeNewFile } from './output.ts';
import { PASSPHRASE_OPTION } from '../home/passphrase-file.ts';
import { STORE_OPTION } from '../store/place.ts';

const STAGES: ReadonlySet<StageName> = new Set(['decode', 'shape', 'verify', 'decrypt', 'bind']);

export const decryptCommand: Action = {
  name: 'decrypt',
  summary: 'open the payload of an encrypted message',
  parameters: [MESSAGE_PARAMETER],
  options: {
    'decrypt-key': DECRYPT_KEY_OPTION,
    'sign-key': SIGN_KEY_OPTION,
    out: OUT_OPTION,
    encoding: ENCODING_OPTION,
    as: ROLE_OPTION,
    store: STORE_OPTION,
    'passphrase-file': PASSPHRASE_OPTION,
  },
  notes: [
    'The bytes are those that were encrypted, with nothing added. With --json it is {"payload": VALUE}, or\n' +
      '{"bytes": BASE64URL} where what was encrypted is not JSON.\n' +
      'The signature is verified first. Where no key of the sender is given or proven, that is said.',
    ...KEY_NOTES,
  ],
  examples: [
    'a2a-sdl decrypt message.json --out payload.json',
    'a2a-sdl decrypt message.json --decrypt-key enc-1=mine.pem --sign-key sig-1=sender.pem',
  ],
  async run(context) {
    const { terminal, options } = context;
    const source = await readKeySource(context);
    const message = await readMessage(context);
    const judged = await judgeWith(
      source,
      message,
      { stages: STAGES, mayBeUnverified: true },
      context,
    );
    const plaintext = plaintextOf(judged);
    if (!judged.passage.isProven) {
      terminal.note('the signature was not verified: nothing proves who encrypted this');
    }
    const out = options.text('out');
    if (out !== undefined) {
      await writeNewFile(out, plaintext);
      const result = { file: out, bytes: plaintext.length };
      terminal.result(result, () => terminal.note(`${plaintext.length} bytes are in ${out}`));
      return EXIT.ok;
    }
    terminal.result(documentOf(plaintext), () => terminal.rawBytes(plaintext));
    return EXIT.ok;
  },
};

function plaintextOf({ report, passage }: Judgement): Uint8Array {
  const failed = report.checks.find(({ status }) => status === 'fail');
  if (failed !== undefined) {
    throw failure(`${failed.stage}: ${failed.reason}`, { code: report.error!.code });
  }
  if (passage.plaintext !== undefined) return passage.plaintext;
  throw failure('the payload of this message is not encrypted', {
    code: 'NOT_ENCRYPTED',
    next: 'see it with "a2a-sdl inspect"',
  });
}

/** Whether it is JSON is a later check than those that are made here. */
function documentOf(plaintext: Uint8Array): JsonObject {
  try {
    return { payload: readJson(plaintext) };
  } catch (thrown) {
    if (!(thrown instanceof SdlError)) throw thrown;
    return { bytes: encodeBase64url(plaintext) };
  }
}
