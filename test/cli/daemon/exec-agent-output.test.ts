// Proves what the lines of a command's output mean, however the output is cut into pieces.

import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ExecOutput } from '../../../cli/daemon/exec/output.ts';
import type { ExecReport } from '../../../cli/daemon/exec/output.ts';
import { utf8 } from '../../support/wire/bytes.ts';

function read(...pieces: readonly (string | Uint8Array)[]): ExecReport[] {
  const output = new ExecOutput();
  const reports = pieces.flatMap((piece) =>
    output.read(typeof piece === 'string' ? utf8(piece) : piece),
  );
  return joined([...reports, ...output.end()]);
}

/** Text is the same whatever its pieces were. */
function joined(reports: readonly ExecReport[]): ExecReport[] {
  const all: ExecReport[] = [];
  for (const report of reports) {
    const last = all.at(-1);
    if (report.type === 'text' && last?.type === 'text') {
      all[all.length - 1] = { type: 'text', text: last.text + report.text };
    } else all.push(report);
  }
  return all;
}

describe('the output of a command', () => {
  test('lines that are reports are taken out of the text', () => {
    const lines = [
      'hello',
      '{"progress":"half","fraction":0.5}',
      '{"progress":"more"}',
      '{"artifact":{"name":"a","text":"x","media_type":"text/markdown"}}',
      '{"artifact":{"name":"b","data":"AQI="}}',
      '{"artifact":{"name":"c","json":null}}',
      '{"error":"no luck"}',
      'bye',
    ];
    expect(read(lines.join('\n'))).toEqual([
      { type: 'text', text: 'hello\n' },
      { type: 'progress', progress: { message: 'half', fraction: 0.5 } },
      { type: 'progress', progress: { message: 'more' } },
      { type: 'artifact', artifact: { name: 'a', text: 'x', mediaType: 'text/markdown' } },
      { type: 'artifact', artifact: { name: 'b', bytes: new Uint8Array([1, 2]) } },
      { type: 'artifact', artifact: { name: 'c', json: null } },
      { type: 'error', message: 'no luck' },
      { type: 'text', text: 'bye' },
    ]);
  });

  test.each([
    '{"progress":5}',
    '{"progress":"x","fraction":2}',
    '{"progress":"x","other":1}',
    '{"artifact":{"text":"x"}}',
    '{"artifact":{"name":"a"}}',
    '{"artifact":{"name":"a","text":"x","json":1}}',
    '{"artifact":{"name":"a","data":"not base64!"}}',
    '{"artifact":{"name":"a","text":"x","media_type":1}}',
    '{"error":null}',
    '{"sum":6}',
    '{}',
    '{"progress":"x","progress":"y"}',
    '{not json',
    ' {"progress":"not at the start"}',
    '[{"progress":"x"}]',
  ])('the line %j is text', (line) => {
    expect(read(`${line}\n`)).toEqual([{ type: 'text', text: `${line}\n` }]);
  });

  test('a report without a line end at the end of the output counts', () => {
    expect(read('{"progress"', ':"x"}')).toEqual([
      { type: 'progress', progress: { message: 'x' } },
    ]);
  });

  test('text is passed on before its line ends, a line that may be a report is not', () => {
    const output = new ExecOutput();
    expect(output.read(utf8('wait'))).toEqual([{ type: 'text', text: 'wait' }]);
    expect(output.read(utf8('ing\n{"prog'))).toEqual([{ type: 'text', text: 'ing\n' }]);
    expect(output.read(utf8('ress":"x"}\n'))).toMatchObject([{ type: 'progress' }]);
  });

  test('a line that is too long for a report is passed on as text', () => {
    const output = new ExecOutput();
    expect(output.read(utf8('{'.repeat(1_048_576)))).toEqual([]);
    expect(output.read(utf8('{'))).toMatchObject([{ type: 'text' }]);
    expect(output.read(utf8('more\n{"error":"x"}\n'))).toEqual([
      { type: 'text', text: 'more\n' },
      { type: 'error', message: 'x' },
    ]);
  });

  test('bytes that are not UTF-8 become replacement characters', () => {
    expect(read(new Uint8Array([0x61, 0xff, 0xe2, 0x82]))).toEqual([
      { type: 'text', text: 'a\uFFFD\uFFFD' },
    ]);
  });

  test('the same bytes mean the same, wherever they are cut', () => {
    const line = fc.oneof(
      fc.string({ maxLength: 5 }),
      fc.constantFrom(
        '{"progress":"ü"}',
        '{"error":"😀"}',
        '{',
        '{"artifact":{"name":"a","text":"x"}}',
      ),
    );
    fc.assert(
      fc.property(fc.array(line), fc.array(fc.nat(200)), (lines, cuts) => {
        const bytes = utf8(lines.join('\n'));
        const ends = [...cuts.filter((cut) => cut < bytes.length), bytes.length].sort(
          (a, b) => a - b,
        );
        const pieces = ends.map((end, index) => bytes.slice(ends[index - 1] ?? 0, end));
        expect(read(...pieces)).toEqual(read(bytes));
      }),
    );
  });
});
