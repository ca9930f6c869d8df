// The commands `evidence`: one packet converted, the records of a run shown, a run checked.

import { appendFileSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, test } from 'vitest';

import { convert } from '../../profiles/assay/index.ts';
import { liveCli, newCliHome, newFile, newFolder, runCli } from '../support/agents/cli.ts';
import { packetText } from '../support/assay/packets.ts';

const packet = (members = {}): string => newFile('packet.json', packetText(members));
const RECORDS = [0, 1, 2, 3].map(
  (seq) => `{"assayseq":${seq},"data":{"task":{"status":"s${seq}"}}}`,
);

describe('evidence convert', () => {
  test('prints the text of the conversion, and nothing else', async () => {
    const path = packet();
    const { code, stdout, stderr } = await runCli([
      'evidence',
      'convert',
      path,
      '--strict',
      '--json',
    ]);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toBe(`${convert(readFileSync(path)).text}\n`);
    expect(JSON.parse(stdout)).toMatchObject({ ok: true, digests: {}, batch: { events: [{}] } });
  });

  test('reads stdin, and takes every option', async () => {
    const input = packetText({ version: undefined, agent: {}, attributes: [1, 2] });
    const options = '--media-type Text/X --protocol-version 0.7 --adapter-version 3.4.0'.split(' ');
    const args = ['evidence', 'convert', '-', '--lenient', '--json', ...options];
    const { stdout } = await runCli(args, { input });
    const whole = JSON.parse(stdout) as ReturnType<typeof convert>;
    expect(whole.batch.lossiness.raw_payload_ref.media_type).toBe('text/x');
    expect(whole.batch.events[0]).toMatchObject({
      assayproducerversion: '3.4.0',
      data: { protocol_version: '0.7', agent: { id: 'unknown-agent' } },
    });
  });

  test('takes as much as it is allowed, from a file and from stdin', async () => {
    const input = packetText({}) + ' '.repeat(16_777_216);
    const path = join(newFolder(), 'large.json');
    writeFileSync(path, input);
    const run = async (file: string, most: string[]): Promise<[number, unknown]> => {
      const args = ['evidence', 'convert', file, '--json', ...most];
      const { code, stdout } = await runCli(args, { input });
      const { ok, error } = JSON.parse(stdout) as { ok: boolean; error?: { message: string } };
      return [code, error?.message ?? ok];
    };
    for (const file of [path, '-']) {
      expect(await run(file, ['--max-bytes', '33554432'])).toEqual([0, true]);
      expect(await run(file, ['--max-bytes', '1000'])).toEqual([
        1,
        'the packet is beyond max_payload_bytes (1000)',
      ]);
      const [code, message] = await run(file, []);
      expect([code, message]).toEqual([1, expect.stringContaining('--max-bytes allows more')]);
    }
  });

  test.each([
    [['--max-bytes', '10'], 'measurement', 'max_payload_bytes'],
    [['--max-depth', '2'], 'measurement', 'max_json_depth'],
    [['--max-array', '1'], 'measurement', 'max_array_length'],
    [['--lenient', '--max-depth', '0'], 'measurement', 'max_json_depth'],
  ])('refuses by %j', async (options, kind, words) => {
    const path = packet({ attributes: [1, 2] });
    const { code, stdout, stderr } = await runCli([
      'evidence',
      'convert',
      path,
      '--json',
      ...options,
    ]);
    expect([code, stderr]).toEqual([1, '']);
    expect(stdout).toMatch(/^\{"error":\{"kind":/);
    expect(JSON.parse(stdout)).toEqual({
      ok: false,
      error: { kind, message: expect.stringContaining(words) as string },
    });
  });

  test('strict is the rule; both at once, and what is no number, are refused', async () => {
    const path = packet({ event_type: 'x' });
    const { code, stdout } = await runCli(['evidence', 'convert', path, '--json']);
    expect([code, JSON.parse(stdout)]).toMatchObject([
      1,
      { error: { kind: 'strict_lossiness_violation' } },
    ]);
    for (const odd of [
      ['--strict', '--lenient'],
      ['--max-bytes', '-1'],
      ['--media-type', 'x'],
    ]) {
      expect((await runCli(['evidence', 'convert', path, ...odd])).code).toBe(2);
    }
  });

  test('for people', async () => {
    const good = await runCli(['evidence', 'convert', packet()]);
    expect([good.code, good.stdout]).toEqual([0, expect.stringContaining('task-1') as string]);
    const bad = await runCli(['evidence', 'convert', packet({ task: {} })]);
    expect([bad.code, bad.stdout, bad.stderr]).toEqual([1, '', 'measurement: missing task.id\n']);
  });
});

describe('evidence verify', () => {
  test('says what is wrong, in which line', async () => {
    const file = newFile('run.ndjson', 'no JSON\n');
    const { code, json } = await runCli(['evidence', 'verify', file, '--json']);
    expect([code, json()]).toMatchObject([
      1,
      { ok: false, events: 0, run_id: null, run_root: null, rule: 'line', line: 1 },
    ]);
    const { stdout } = await runCli(['evidence', 'verify', file]);
    expect(JSON.parse(stdout)).toEqual(json());
    expect((await runCli(['evidence', 'verify', `${file}.not`])).code).toBe(1);
  });
});

describe('evidence tail', () => {
  test('shows the last records, as they stand or for people', async () => {
    const file = newFile('run.ndjson', `${RECORDS.join('\n')}\n{"half":`);
    const last = await runCli(['evidence', 'tail', file, '-n', '2', '--json']);
    expect(last.stdout).toBe(`${RECORDS.slice(2).join('\n')}\n`);
    expect((await runCli(['evidence', 'tail', file])).stdout).toBe('s0\ns1\ns2\ns3\n');
    expect((await runCli(['evidence', 'tail', file, '--lines', '0'])).stdout).toBe('');
  });

  test('takes the newest run of a folder', async () => {
    const folder = newFolder();
    for (const [at, name] of ['b.ndjson', 'a.ndjson', 'c.txt'].entries()) {
      writeFileSync(join(folder, name), `${RECORDS[at]!}\n`);
      utimesSync(join(folder, name), 100 + at, 100 + at);
    }
    expect((await runCli(['evidence', 'tail', folder])).stdout).toBe('s1\n');
    mkdirSync(join(folder, 'none'));
    expect((await runCli(['evidence', 'tail', join(folder, 'none')])).code).toBe(1);
  });

  test('goes on with those that come, whole ones only, until it is interrupted', async () => {
    const file = newFile('run.ndjson', `${RECORDS[0]!}\n`);
    const wait = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 5));
    const live = liveCli(['evidence', 'tail', file, '--follow'], { wait });
    await live.shown('s0');
    appendFileSync(file, RECORDS[1]!.slice(0, 9));
    appendFileSync(file, `${RECORDS[1]!.slice(9)}\n${RECORDS[2]!}\n`);
    await live.shown('s2');
    live.interrupt();
    expect(await live.code).toBe(0);
    expect(live.stdout()).toBe('s0\ns1\ns2\n');
  });

  test('says that no daemon writes any', async () => {
    const { code, stderr } = await runCli(['evidence', 'tail', '--home', newCliHome()]);
    expect([code, stderr]).toEqual([1, expect.stringContaining('--evidence DIR') as string]);
  });
});

describe('the help', () => {
  test.each(['convert', 'tail', 'verify'])(
    'of %s tells it from audit, and claims nothing',
    async (name) => {
      const { stdout } = await runCli(['evidence', name, '--help']);
      expect(stdout).toContain('audit prove');
      expect(stdout).not.toMatch(/\b(verified|authori[sz]ed|succeeded)\b/i);
    },
  );

  test('of audit prove and audit check tells it from evidence', async () => {
    for (const name of ['prove', 'check']) {
      expect((await runCli(['audit', name, '--help'])).stdout).toContain('a2a-sdl evidence');
    }
  });
});
