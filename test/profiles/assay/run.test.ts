// The file of a run: whole lines in order, what happens while the disk takes none, and the check of it.

import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';

import { describe, expect, onTestFinished, test, vi } from 'vitest';

import type { EvidenceOptions, EvidenceSink } from '../../../profiles/assay/index.ts';
import { checkRun, evidence } from '../../../profiles/assay/index.ts';
import { RunFile } from '../../../profiles/assay/run-file.ts';
import type { AcceptedMessage, CallContext } from '../../../src/door/index.ts';
import { createMessage } from '../../../src/door/index.ts';
import { newFolder } from '../../support/agents/cli.ts';
import { checkFile, checkText, linesOf, newRun, recordsOf } from '../../support/assay/runs.ts';

const AGENT = 'did:key:agent';

function accepted(id: string, received?: CallContext['received']): AcceptedMessage {
  const call: CallContext = {
    principal: { id: '~test:ann', tenant: '', scheme: 'bearer' },
    face: 'test',
    agentId: AGENT,
    ...(received !== undefined && { received }),
    signal: new AbortController().signal,
    now: Date.now,
  };
  const message = createMessage({ id: `m-${id}`, role: 'user', parts: [] });
  return { call, operation: 'start', message, taskId: id };
}

async function open(
  options: Partial<EvidenceOptions> = {},
): Promise<{ readonly sink: EvidenceSink; readonly told: string[] }> {
  const sink = newRun(options);
  const told: string[] = [];
  await sink.open({
    agentId: AGENT,
    now: Date.now,
    onError: (cause) => void told.push((cause as Error).message),
  });
  onTestFinished(() => sink.close());
  return { sink, told };
}

describe('a run (#assay-run)', () => {
  test('is one file a start, with a name without a colon, which only its owner reads', async () => {
    const directory = join(newFolder(), 'new', 'folder');
    const [one, other] = [evidence({ directory }), evidence({ directory })];
    expect(one.runId).not.toBe(other.runId);
    expect(one.runId).toMatch(/^[\w.-]+$/);
    expect(one.path).toBe(join(directory, `${one.runId}.ndjson`));
    expect(existsSync(directory)).toBe(false);
  });

  test('never goes on with the file of another', async () => {
    const { sink } = await open({ runId: 'run-1' });
    const again = evidence({ directory: join(sink.path, '..'), runId: 'run-1' });
    await expect(again.open({ agentId: AGENT, now: Date.now, onError: vi.fn() })).rejects.toThrow(
      'EEXIST',
    );
  });

  test('numbers what comes at once from 0 without gaps, in order', async () => {
    const { sink } = await open();
    const hashes = await Promise.all(
      Array.from({ length: 1_000 }, (_, at) => sink.accepted(accepted(`t-${at}`))),
    );
    await sink.close();
    const records = recordsOf(sink.path);
    expect(records.map(({ assayseq }) => assayseq)).toEqual(hashes.map((_, at) => at));
    expect(records.map(({ subject }) => subject)).toEqual(hashes.map((_, at) => `t-${at}`));
    expect(records.map(({ id }) => id)).toEqual(hashes.map((_, at) => `${sink.runId}:${at}`));
    expect(records.map(({ assaycontenthash }) => assaycontenthash)).toEqual(
      hashes.map((hash) => hash!.content),
    );
    const root = createHash('sha256').update(hashes.map((hash) => `${hash!.content}\n`).join(''));
    expect(await checkFile(sink.path)).toEqual({
      ok: true,
      events: 1_000,
      run_id: sink.runId,
      run_root: `sha256:${root.digest('hex')}`,
    });
    expect(sink.stats()).toMatchObject({ isWell: true, written: 1_000, lost: 0 });
  });

  test('takes no more than there is room for, and says so once', async () => {
    const { sink, told } = await open({ maxQueued: 3 });
    const hashes = Array.from({ length: 5 }, (_, at) => sink.accepted(accepted(`t-${at}`)));
    expect((await Promise.all(hashes)).map((hash) => hash !== undefined)).toEqual([
      true,
      true,
      true,
      false,
      false,
    ]);
    expect(told).toHaveLength(1);
    await sink.close();
    expect(recordsOf(sink.path).map(({ assayseq }) => assayseq)).toEqual([0, 1, 2]);
    expect(sink.stats()).toMatchObject({ lost: 2, written: 3, isWell: true });
  });

  test('keeps bytes once, before the record of them, and only where it was told to', async () => {
    const rawDirectory = newFolder();
    const { sink } = await open({ rawDirectory });
    const received = { bytes: new TextEncoder().encode('as it came'), mediaType: 'x/y;z=1' };
    const [one] = await Promise.all([
      sink.accepted(accepted('a', received)),
      sink.accepted(accepted('b', received)),
    ]);
    await sink.close();
    expect(readdirSync(rawDirectory)).toEqual([one!.raw]);
    expect(readFileSync(join(rawDirectory, one!.raw!), 'utf8')).toBe('as it came');
    expect(recordsOf(sink.path)[0]!.data.attributes.raw).toEqual({
      media_type: 'x/y',
      sha256: one!.raw,
      size_bytes: 10,
    });
  });

  test('is not kept from a message by a media type that is none', async () => {
    const { sink } = await open();
    const received = { bytes: new Uint8Array(1), mediaType: 'what?' };
    expect(await sink.accepted(accepted('a', received))).toHaveProperty('raw');
  });

  test('names a source for an agent with a label for an id', async () => {
    const sink = newRun();
    await sink.open({ agentId: 'worker', now: Date.now, onError: vi.fn() });
    await sink.accepted(accepted('\ud800 half'));
    await sink.close();
    expect(recordsOf(sink.path)[0]).toMatchObject({
      source: 'urn:a2a-sdl:agent:worker',
      subject: '\uFFFD half',
    });
    expect(await checkFile(sink.path)).toMatchObject({ ok: true });
  });

  test.each([{ directory: '' }, { runId: 'a:b' }, { runId: '../x' }, { maxQueued: 0 }])(
    'refuses options that cannot be: %j',
    (options) => {
      expect(() => newRun(options)).toThrow(/expected/);
    },
  );
});

describe('a file that is gone', () => {
  test('is told at once, also before anything is written, and nothing is refused', async () => {
    const { sink, told } = await open();
    rmSync(sink.path);
    expect(sink.stats().isWell).toBe(false);
    expect(await sink.accepted(accepted('a'))).toBeDefined();
    await expect.poll(() => told).toHaveLength(1);
    expect(told[0]).toMatch(/^evidence is not kept: .* is not there any more/);
    expect(sink.stats()).toMatchObject({ isWell: false, written: 0, failures: 1 });
  });

  test('is gone on with when it is back, and nothing is lost or twice', async () => {
    const { sink } = await open();
    await sink.accepted(accepted('a'));
    await expect.poll(() => sink.stats().written).toBe(1);
    renameSync(sink.path, `${sink.path}.away`);
    await sink.accepted(accepted('b'));
    await expect.poll(() => sink.stats().failures).toBeGreaterThan(0);
    renameSync(`${sink.path}.away`, sink.path);
    await sink.accepted(accepted('c'));
    await sink.close();
    expect(recordsOf(sink.path).map(({ subject }) => subject)).toEqual(['a', 'b', 'c']);
    expect(await checkFile(sink.path)).toMatchObject({ ok: true, events: 3 });
  });

  test('refuses messages where evidence is required, and only then', async () => {
    const { sink } = await open({ required: true });
    await sink.accepted(accepted('a'));
    expect(linesOf(sink.path)).toHaveLength(1);
    renameSync(sink.path, `${sink.path}.away`);
    await expect(sink.accepted(accepted('b'))).rejects.toThrow('not there any more');
    await expect(sink.accepted(accepted('c'))).rejects.toThrow('not there any more');
    renameSync(`${sink.path}.away`, sink.path);
    await sink.accepted(accepted('d'));
    // What was refused is no evidence of anything.
    expect(recordsOf(sink.path).map(({ subject }) => subject)).toEqual(['a', 'd']);
    expect(sink.stats().isWell).toBe(true);
  });

  test('a folder for bytes that is gone is a failure too', async () => {
    const rawDirectory = newFolder();
    const { sink } = await open({ rawDirectory, required: true });
    rmSync(rawDirectory, { recursive: true });
    const received = { bytes: new Uint8Array(1), mediaType: 'a/b' };
    await expect(sink.accepted(accepted('a', received))).rejects.toThrow('ENOENT');
    expect(sink.stats()).toMatchObject({ isWell: false, written: 0 });
    expect(linesOf(sink.path)).toEqual([]);
  });
});

describe('half a line', () => {
  test('that an earlier try left is written over', async () => {
    const path = join(newFolder(), 'run.ndjson');
    const file = new RunFile({
      path,
      rawFolder: undefined,
      maxQueued: 10,
      maxQueuedBytes: 10,
      onError: () => undefined,
    });
    await file.open();
    await file.write({ line: (seq) => `${seq} whole\n` });
    let isFirst = true;
    const failing = {
      line: (seq: number): string => {
        if (!isFirst) return `${seq} again\n`;
        isFirst = false;
        // As a write that stopped in the middle leaves it.
        writeFileSync(path, '0 whole\n1 a very long line that has no en');
        throw new Error('the disk is full');
      },
    };
    await expect(file.write(failing)).rejects.toThrow('the disk is full');
    expect(readFileSync(path, 'utf8')).toBe('0 whole\n');
    await file.write(failing);
    await file.close();
    expect(readFileSync(path, 'utf8')).toBe('0 whole\n1 again\n');
  });
});

describe('the check of a run (#assay-run-check)', () => {
  async function runText(count = 3): Promise<string> {
    const { sink } = await open({ runId: 'run-1' });
    for (let at = 0; at < count; at += 1) await sink.accepted(accepted(`t-${at}`));
    await sink.close();
    return readFileSync(sink.path, 'utf8');
  }

  test.each([
    ['empty', 0, (): string => ''],
    ['seq', 2, (text: string) => text.split('\n').toSpliced(1, 1).join('\n')],
    ['seq', 1, (text: string) => text.replaceAll('"assayseq":', '"assayseq":1')],
    ['id', 2, (text: string) => text.replace('"id":"run-1:1"', '"id":"run-1:2"')],
    ['run_id', 3, (text: string) => text.replace(/run-1(?="[^\n]*run-1:2)/, 'run-2')],
    ['run_id', 1, (text: string) => text.replaceAll('run-1', 'run:1')],
    ['source', 1, (text: string) => text.replaceAll('did:key:agent', 'agent')],
    ['source', 1, (text: string) => text.replaceAll('did:key:agent', ':agent')],
    ['content_hash', 2, (text: string) => text.replace('"subject":"t-1"', '"subject":"t-9"')],
    ['content_hash', 3, (text: string) => text.replace('"m-t-2"', '"m-t-3"')],
    ['event', 1, (text: string) => text.replaceAll(/"sha256:\w+"/g, 'null')],
    ['event', 1, (text: string) => text.replaceAll('"specversion":"1.0"', '"specversion":"2"')],
    ['event', 1, (): string => '[]\n'],
    ['line', 4, (text: string) => `${text}{"half":`],
    ['line', 4, (text: string) => `${text}\n`],
    ['line', 1, (text: string) => text.replace('"assaygit"', '"assayseq":0,"assaygit"')],
    ['line', 1, (): string => `{"a":${'['.repeat(64)}`],
    ['line', 1, (): string => '"\\ud800"\n'],
    ['line', 2, (text: string) => `${text.split('\n')[0]}\n"${'x'.repeat(1_048_577)}"\n`],
  ])('finds what breaks the rule "%s" in line %i', async (rule, line, change) => {
    const report = await checkText(change(await runText()));
    expect(report).toMatchObject({ ok: false, rule, line, run_root: null });
    if (line > 0) expect(report.events).toBe(line - 1);
  });

  test('does not depend on who wrote it when, or on how the bytes are cut', async () => {
    const text = await runText();
    const whole = await checkText(text);
    expect(await checkText(text.replaceAll('"a2a-sdl"', '"other"'))).toEqual(whole);
    const bytes = [...Buffer.from(text.trimEnd())].map((byte) => Uint8Array.of(byte));
    expect(await checkRun(Readable.from(bytes))).toEqual(whole);
  });

  test('has limits that can be set', async () => {
    const text = await runText();
    const kinds = await Promise.all(
      [{ maxEvents: 2 }, { maxBytes: 100 }].map((limits) => checkText(text, limits)),
    );
    expect(kinds.map((report) => !report.ok && report.rule)).toEqual(['size', 'size']);
    expect(await checkText(text, { maxEvents: 3, maxBytes: text.length })).toMatchObject({
      ok: true,
    });
  });
});
