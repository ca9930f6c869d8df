// Proves that the tables say what the published protocol says, and that all that is told in 1.0 has its place in them.

import { describe, expect, test } from 'vitest';

import { V03 } from '../../../profiles/a2a/fields/v03.ts';
import { V1 } from '../../../profiles/a2a/fields/v1.ts';
import type { Table } from '../../../profiles/a2a/fields/table.ts';
import { agentFor } from '../../support/a2a/agent.ts';
import type { Json } from '../../support/a2a/ask.ts';
import { CELLS } from '../../support/a2a/cells.ts';
import { hasVectors, vectorJson } from '../../support/repository/vectors.ts';

interface Published {
  readonly package: string;
  readonly enums: Table['enums'];
  readonly messages: Readonly<
    Record<
      string,
      readonly {
        readonly name: string;
        readonly json: string;
        readonly number: number;
        readonly type: string;
        readonly repeated?: boolean;
        readonly required?: boolean;
        readonly optional?: boolean;
        readonly oneof?: string;
      }[]
    >
  >;
  readonly service: Readonly<
    Record<
      string,
      { readonly request: string; readonly response: string; readonly stream?: boolean }
    >
  >;
}

const short = (type: string): string =>
  type.replaceAll('google.protobuf.', '').replaceAll(', ', ',');

describe.skipIf(!hasVectors)('the tables #a2a-fields', () => {
  test.each([
    ['v1', V1],
    ['v0.3', V03],
  ] as const)('%s is the one that was published', (name, table) => {
    const published = vectorJson<Readonly<Record<string, Published>>>('a2a/fields.json')[name]!;
    const fields = Object.entries(published.messages).map(([message, members]) => [
      message,
      members.map(({ type, repeated, required, optional, oneof, ...names }) => ({
        ...names,
        type: short(type),
        isRepeated: repeated === true,
        isRequired: required === true,
        isOptional: optional === true,
        ...(oneof !== undefined && { oneof }),
      })),
    ]);
    const service = Object.entries(published.service).map(([method, facts]) => [
      method,
      { request: facts.request, response: short(facts.response), isStream: facts.stream === true },
    ]);
    expect(table).toEqual({
      package: published.package,
      enums: published.enums,
      messages: Object.fromEntries(fields),
      service: Object.fromEntries(service),
    });
  });
});

/** Members of a value that the table does not name. */
function strangers(message: string, value: Json, where = message): string[] {
  return Object.entries(value as Readonly<Record<string, Json>>).flatMap(([name, inner]) => {
    const field = V1.messages[message]!.find(({ json }) => json === name);
    if (field === undefined) return [`${where}.${name}`];
    if (!Object.hasOwn(V1.messages, field.type)) return [];
    const items = field.isRepeated ? (inner as readonly Json[]) : [inner];
    return items.flatMap((item) => strangers(field.type, item, `${where}.${name}`));
  });
}

test('nothing extra stands in what is told in 1.0, and nothing that is required is missing #a2a-fields', async () => {
  const agent = await agentFor();
  const [rpc, rest] = [CELLS[0]!, CELLS[1]!];
  for (const text of ['hello', 'fail', 'reject', 'ask', 'chunks', 'answer']) {
    const answer = rpc.resultOf(await rpc.ask(agent, 'send', { text }))!;
    expect(strangers('SendMessageResponse', answer)).toEqual([]);
    for (const { data } of await rest.frames(agent, 'stream', { text })) {
      expect(strangers('StreamResponse', data)).toEqual([]);
    }
  }
  const filter = { includeArtifacts: true, historyLength: 5 };
  const page = rpc.resultOf(await rpc.ask(agent, 'list', { filter }))!;
  expect(strangers('ListTasksResponse', page)).toEqual([]);
  for (const { json } of V1.messages['ListTasksResponse']!) expect(page).toHaveProperty(json);
});
