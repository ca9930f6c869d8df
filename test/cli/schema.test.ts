// The command `schema`: the schemas of record, hashes, and what fits.

import { fileURLToPath } from 'node:url';

import { describe, expect, test } from 'vitest';

import { prettyJson } from '../../cli/kit/pretty-json.ts';
import hashes from '../../schemas/hashes.json' with { type: 'json' };
import { newFile, runCli } from '../support/agents/cli.ts';
import { parse } from '../support/wire/bytes.ts';
import { taskPayload } from '../support/wire/envelopes.ts';

const schemaFile = (ct: string): string =>
  fileURLToPath(new URL(`../../schemas/${ct}.json`, import.meta.url));

describe('#schema-lock schema list, show and hash', () => {
  test('list has every content type with the ids of the lock', async () => {
    const { json } = await runCli(['schema', 'list', '--json']);
    const rows = json() as { ct: string; id: string }[];
    expect(rows).toHaveLength(13);
    const locked: Record<string, string> = hashes;
    for (const { ct, id } of rows)
      expect([ct, locked[ct] ?? locked[`${ct}.json`]]).toEqual([ct, id]);
    expect((await runCli(['schema', 'list'])).stdout.split('\n')).toHaveLength(14);
  });

  test('what show prints hashes to the id of list, for people and for programs (#content-hash)', async () => {
    const rows = (await runCli(['schema', 'list', '--json'])).json() as {
      ct: string;
      id: string;
    }[];
    for (const { ct, id } of rows) {
      for (const format of [[], ['--json']]) {
        const shown = await runCli(['schema', 'show', ct, ...format]);
        const hashed = await runCli(['schema', 'hash', '-'], { input: shown.stdout });
        expect([ct, hashed.stdout]).toEqual([ct, `${id}\n`]);
      }
      expect((await runCli(['schema', 'hash', schemaFile(ct)])).stdout).toBe(`${id}\n`);
    }
  });

  test('an unknown content type is answered with the nearest', async () => {
    const { code, stderr } = await runCli(['schema', 'show', 'tsk.v1']);
    expect(code).toBe(1);
    expect(stderr).toContain('did you mean task.v1?');
  });

  test('a file that is not there is named', async () => {
    const { code, stderr } = await runCli(['schema', 'hash', '/no/such.json']);
    expect(code).toBe(1);
    expect(stderr).toContain('/no/such.json: there is no such file');
  });
});

describe('#schema-own schema validate', () => {
  const validate = (input: string, ...args: string[]): ReturnType<typeof runCli> =>
    runCli(['schema', 'validate', '-', ...args], { input });

  test('a payload that fits exits with 0, one that does not with 1 and the place', async () => {
    const good = await validate(JSON.stringify(taskPayload), '--ct', 'task.v1');
    expect([good.code, good.stdout]).toEqual([0, 'it fits\n']);
    const bad = await validate(
      JSON.stringify({ ...taskPayload, goal: 7 }),
      '--ct',
      'task.v1',
      '--json',
    );
    expect([bad.code, bad.stdout]).toEqual([1, '']);
    expect(bad.error()).toMatchObject({ code: 'PAYLOAD_INVALID' });
    expect(bad.error()['message']).toContain('/goal');
  });

  test('a schema of one’s own counts as well', async () => {
    const schema = newFile('s.json', '{"type":"object","required":["city"]}');
    expect((await validate('{"city":"Oslo"}', '--schema', schema)).code).toBe(0);
    expect((await validate('{}', '--schema', schema)).code).toBe(1);
    expect((await validate('1', '--schema', newFile('n.json', '7'))).code).toBe(1);
    const remote = newFile('r.json', '{"$ref":"https://example.org/s.json"}');
    const refused = await validate('1', '--schema', remote, '--json');
    expect(refused.error()).toMatchObject({ code: 'SCHEMA_UNSUPPORTED' });
  });

  test('exactly one of --ct and --schema is wanted', async () => {
    expect((await validate('1')).code).toBe(2);
    expect((await validate('1', '--ct', 'task.v1', '--schema', 'x')).code).toBe(2);
  });
});

describe('JSON for people', () => {
  test.each([
    '{}',
    '[]',
    '"a"',
    '1.0',
    '9007199254740993',
    'null',
    '{"a":[1.50,{"__proto__":{}}],"b":"\\u0000"}',
  ])('%s means the same indented', (text) =>
    expect(parse(prettyJson(parse(text)))).toEqual(parse(text)),
  );

  test('is indented', () => {
    expect(prettyJson(parse('{"a":[1,2]}'))).toBe('{\n  "a": [\n    1,\n    2\n  ]\n}');
  });
});
