// Owns the command `evidence verify`: is the file of a run whole and unchanged? SPEC.md section 17 (#assay-run-check).

import { createReadStream } from 'node:fs';

import { checkRun } from '../../profiles/assay/index.ts';
import type { Action } from '../kit/command.ts';
import { EXIT } from '../kit/exit.ts';
import { NOT_AUDIT } from './not-audit.ts';

export const evidenceVerifyCommand: Action = {
  name: 'verify',
  summary: 'check that the file of a run is whole, and compute its root',
  parameters: [{ name: 'FILE', description: 'the file of a run (NDJSON)' }],
  options: {
    'max-bytes': { type: 'string', value: 'N', description: 'of the file (default 104857600)' },
    'max-events': { type: 'string', value: 'N', description: 'of the run (default 100000)' },
  },
  notes: [
    'One run id without a colon, one source, numbers from 0 without gaps, an id for each place, and the hash of\n' +
      'every content as it stands there. The root is the hash over all of them: who keeps it notices a change.\n' +
      'It prints {"ok":true,"events":N,"run_id":…,"run_root":…}; or "ok" is false, with "rule", "line" and "reason".',
    NOT_AUDIT,
  ],
  examples: ['a2a-sdl evidence verify evidence/20261118T080000000Z-0a1b2c3d4e5f.ndjson'],
  async run({ terminal, words, options }) {
    const [maxBytes, maxEvents] = [
      options.integer('max-bytes', 1),
      options.integer('max-events', 1),
    ];
    const report = await checkRun(createReadStream(words[0]!), {
      ...(maxBytes !== undefined && { maxBytes }),
      ...(maxEvents !== undefined && { maxEvents }),
    });
    terminal.json({ ...report });
    return report.ok ? EXIT.ok : EXIT.failed;
  },
};
