// Schemas by address: what is fetched must be what the hash names.

import { describe, expect, test } from 'vitest';

import { embed } from '../../src/schema/descriptor.ts';
import { createSchemaResolver } from '../../src/schema/resolve-uri.ts';
import { utf8 } from '../support/wire/bytes.ts';

describe('#schema-uri a resolver', () => {
  const schema = { type: 'object', 'x-float': 1.5 };
  const { id } = embed(schema);
  const resolverOf = (
    body: string,
  ): { calls: string[]; resolve: ReturnType<typeof createSchemaResolver> } => {
    const calls: string[] = [];
    const resolve = createSchemaResolver((uri) => {
      calls.push(uri);
      return Promise.resolve(utf8(body));
    });
    return { calls, resolve };
  };
  const descriptor = { kind: 'uri', id, uri: 'https://example.com/s.json' } as const;

  test('gives what hashes to the id, and fetches it once', async () => {
    const { calls, resolve } = resolverOf(JSON.stringify(schema));
    const resolved = await resolve(descriptor);
    expect(resolved).toMatchObject({ kind: 'embedded', id });
    expect(await resolve(descriptor)).toBe(resolved);
    expect(calls).toEqual(['https://example.com/s.json']);
    expect(await resolve(resolved)).toBe(resolved);
    await expect(resolve({ ...resolved, embedded: true })).rejects.toMatchObject({
      code: 'SCHEMA_HASH',
    });
  });
  test('asks once for what several messages want at the same time', async () => {
    const { calls, resolve } = resolverOf(JSON.stringify(schema));
    const [first, second] = await Promise.all([resolve(descriptor), resolve(descriptor)]);
    expect(first).toBe(second);
    expect(calls).toHaveLength(1);
  });
  test.each([
    ['another schema', '{"type":"string"}', 'SCHEMA_HASH'],
    ['no JSON', '<html>', 'ENCODING_INVALID'],
    ['no schema', '[]', 'SCHEMA_URI'],
  ])('refuses %s', async (_name, body, code) => {
    await expect(resolverOf(body).resolve(descriptor)).rejects.toMatchObject({ code });
  });
});
