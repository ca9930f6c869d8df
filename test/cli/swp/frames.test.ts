// Proves `swp decode` and `swp encode`: one object a frame, the limits as options, and the way back to the octet.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, test } from 'vitest';

import type { SwpFrameForm } from '../../../profiles/swp/index.ts';
import { newFile, newFolder, runCli } from '../../support/agents/cli.ts';
import { event, failed, frame, handshake, result, task } from '../../support/swp/frames.ts';

function fileOf(...frames: readonly Uint8Array[]): string {
  const path = join(newFolder(), 'frames.bin');
  writeFileSync(path, Buffer.concat(frames));
  return path;
}

async function decode(path: string, ...options: string[]): Promise<[number, SwpFrameForm[]]> {
  const { code, stdout } = await runCli(['swp', 'decode', path, '--json', ...options]);
  const lines = stdout.split('\n').filter((line) => line !== '');
  return [code, lines.map((line) => JSON.parse(line) as SwpFrameForm)];
}

describe('#swp-form on the command line', () => {
  test('frames go to objects and back to the same octets', async () => {
    const octets = [
      frame(handshake('a', 'b')),
      frame(task('t', 'work', 'in'), { ts_unix_ms: '18446744073709551615' }),
      frame(event('t', 'half')),
      frame(failed('t', 'no'), { extensions: [{ type: '16', value: 'ff' }] }),
    ];
    const [code, frames] = await decode(fileOf(...octets));
    expect([code, frames.map(({ outcome }) => outcome)]).toEqual([0, Array(4).fill('accept')]);
    const lines = newFile(
      'frames.jsonl',
      `${frames.map((one) => JSON.stringify(one)).join('\n')}\n\n`,
    );
    const { stdoutBytes, code: exit } = await runCli(['swp', 'encode', lines]);
    expect(exit).toBe(0);
    expect(Buffer.from(stdoutBytes).equals(Buffer.concat(octets))).toBe(true);
    const messages = frames.map(({ envelope, message }) => {
      const { payload: _payload, ...rest } = envelope!;
      return JSON.stringify({ envelope: rest, message });
    });
    const again = await runCli(['swp', 'encode'], { input: messages.join('\n') });
    expect(Buffer.from(again.stdoutBytes).equals(Buffer.concat(octets))).toBe(true);
  });

  test('a frame that is refused makes the exit code 1, and one that closes is the last', async () => {
    const good = frame(result('t', 'x'));
    const path = fileOf(
      good,
      frame(task('t', ' ')),
      good,
      frame(task('t', 'k'), { version: '2' }),
      good,
    );
    const [code, frames] = await decode(path);
    expect(code).toBe(1);
    expect(frames.map(({ code: each }) => each)).toEqual([
      'OK',
      'INVALID_PROFILE_PAYLOAD',
      'OK',
      'UNSUPPORTED_VERSION',
    ]);
    const { stdout, code: exit } = await runCli(['swp', 'decode', path]);
    expect(exit).toBe(1);
    expect(stdout).toMatch(/^frame 1: accept OK profile 2, msg_type 4 .*\nframe 2: reject INVALID/);
  });

  test('every limit is an option', async () => {
    const one = frame(task('t', 'work', 'x'.repeat(50)), {
      ts_unix_ms: '1000',
      extensions: [{ type: '20', value: 'aabb' }],
    });
    const path = fileOf(one);
    const codeWith = async (...options: string[]): Promise<string> => {
      const [, [only]] = await decode(path, ...options);
      return only!.detail ?? only!.code;
    };
    expect(await codeWith()).toBe('OK');
    expect(await codeWith('--max-frame-bytes', String(one.length - 5))).toBe('ERR_FRAME_TOO_LARGE');
    expect(await codeWith('--max-payload-bytes', '10')).toBe('ERR_PAYLOAD_TOO_LARGE');
    expect(await codeWith('--max-ext-bytes', '3')).toBe('ERR_EXT_TOO_LARGE');
    expect(await codeWith('--profiles', '1,3-9')).toBe('UNKNOWN_PROFILE');
    expect(await codeWith('--profiles', '1–4')).toBe('OK');
    expect(await codeWith('--skew-ms', '10', '--now-ms', '1010')).toBe('OK');
    expect(await codeWith('--skew-ms', '10', '--now-ms', '1011')).toBe('INVALID_ENVELOPE');
    expect(await codeWith('--require-ts', '--now-ms', '301000')).toBe('OK');
    expect(await codeWith('--require-ts', '--now-ms', '301001')).toBe('INVALID_ENVELOPE');
    expect(await codeWith('--skew-ms', '0', '--now-ms', '18446744073709551615')).toBe(
      'INVALID_ENVELOPE',
    );
  });

  test('what is called wrongly is told', async () => {
    const path = fileOf(frame(task('t', 'k')));
    for (const options of [
      ['--profiles', 'x'],
      ['--skew-ms', '-1'],
      ['--max-frame-bytes', '0'],
    ]) {
      expect((await runCli(['swp', 'decode', path, ...options])).code).toBe(2);
    }
    const wrong = await runCli(['swp', 'encode', '--json'], { input: '{"envelope":{}}\n' });
    expect(wrong.code).toBe(1);
    expect(wrong.error()).toMatchObject({ code: 'FRAME_INVALID' });
    const empty = await runCli(['swp', 'encode', '--json'], { input: 'null\n' });
    expect(empty.error()).toMatchObject({ message: expect.stringContaining('expected an object') });
    expect((await runCli(['swp', 'send', 'nowhere', 'work'])).code).toBe(2);
    const relative = await runCli(['swp', 'send', 'unix:no/such.sock', 'work', '--json']);
    expect([relative.code, relative.error()]).toMatchObject([1, { code: 'TRANSPORT_UNREACHABLE' }]);
    expect((await runCli(['swp', 'send', '127.0.0.1:9', ' '])).code).toBe(2);
    const gone = await runCli(['swp', 'send', '127.0.0.1:9', 'work', '--json']);
    expect([gone.code, gone.error()]).toMatchObject([1, { code: 'TRANSPORT_UNREACHABLE' }]);
  });
});
