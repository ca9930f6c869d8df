// Owns the commands `audit prove` and `audit head`: what the log says, signed, for others to keep. SPEC.md section 10 (#audit).

import type { JsonObject } from '../src/index.ts';
import { writeJson } from '../src/index.ts';
import { openLog, withHomeLog } from './audit-log.ts';
import type { Action, CommandContext } from './command.ts';
import type { ExitCode } from './exit.ts';
import { EXIT, failure } from './exit.ts';
import { OUT_OPTION, writeNewFile } from './inspect-output.ts';
import { PASSPHRASE_OPTION } from './passphrase-file.ts';

const OPTIONS = { out: OUT_OPTION, 'passphrase-file': PASSPHRASE_OPTION };

export const auditProveCommand: Action = {
  name: 'prove',
  summary: 'make a proof of what the log holds on a message',
  parameters: [{ name: 'ID', description: 'the id of a request or an event' }],
  options: OPTIONS,
  notes: ['The proof is one line of JSON. Whoever has it checks it with "a2a-sdl audit check".'],
  examples: ['a2a-sdl audit prove 019b2c66-8a44-7cc5-9d0e-3f1f2f0c9a11 --out proof.json'],
  run: (context) =>
    withHomeLog(context, async (log) => {
      const proof = await (await openLog(log, context)).prove(context.words[0]!);
      if (proof === undefined) {
        throw failure('the log holds nothing on a message of this id', {
          code: 'NOT_RECORDED',
          next: 'an id is that of a request or an event, not that of its reply',
        });
      }
      return handOut(proof, context);
    }),
};

export const auditHeadCommand: Action = {
  name: 'head',
  summary: 'sign how long the log is now, and the root over all of it',
  options: OPTIONS,
  notes: [
    'Keep it elsewhere: with "audit verify --witness" it shows whether the log was rewritten.',
  ],
  examples: ['a2a-sdl audit head --out head-of-monday.json'],
  run: (context) =>
    withHomeLog(context, async (log) =>
      handOut(await (await openLog(log, context)).head(), context),
    ),
};

/** A document is JSON for people and programs alike. */
async function handOut(document: JsonObject, context: CommandContext): Promise<ExitCode> {
  const { options, terminal } = context;
  const out = options.text('out');
  if (out === undefined) {
    terminal.json(document);
    return EXIT.ok;
  }
  await writeNewFile(out, new TextEncoder().encode(`${textOf(document)}\n`));
  terminal.result({ file: out }, () => terminal.note(`it is in ${out}`));
  return EXIT.ok;
}

function textOf(document: JsonObject): string {
  return new TextDecoder().decode(writeJson(document));
}
