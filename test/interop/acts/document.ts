// Owns ACTS documents: read from their YAML files, with every member known. What is not known is an error, so that no part
// of a test is passed over.

import { parse } from 'yaml';

import type { JsonObject, JsonValue } from '../../../src/codec/value.ts';
import { vectorBytes } from '../../support/repository/vectors.ts';

export type BindingName = 'jsonrpc' | 'rest' | 'grpc';
const BINDING_NAMES: readonly BindingName[] = ['jsonrpc', 'rest', 'grpc'];

export interface RawRequest {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: JsonObject;
  /** As it is. */
  readonly body_raw?: string;
}

export interface CollectionAssertion {
  readonly source: string;
  readonly any: { readonly path: string; readonly match: JsonObject };
}

export interface StreamExpectation {
  readonly min_count?: number;
  readonly ordering?: string;
  readonly events?: readonly JsonObject[];
  readonly final_event?: JsonObject;
  readonly each_event?: JsonObject;
}

interface Repeat {
  readonly until: string;
  readonly max_attempts: number;
  readonly delay_ms: number;
}

export interface Step {
  readonly id: string;
  readonly operation?: string;
  readonly params?: JsonObject;
  readonly raw?: RawRequest;
  readonly expect?: JsonObject;
  readonly expect_error?: JsonObject;
  readonly expect_stream?: StreamExpectation;
  readonly capture?: Readonly<Record<string, string>>;
  readonly assertions?: readonly CollectionAssertion[];
  readonly repeat?: Repeat;
}

/** What a client is given to read, and what it must make of it. */
export interface Reading {
  readonly id: string;
  readonly operation: string;
  readonly payload: JsonObject;
  readonly parsed: JsonObject;
}

export interface ActsTest {
  readonly id: string;
  readonly name: string;
  readonly level: 'must' | 'should' | 'may';
  readonly tags: readonly string[];
  /** @default every binding */
  readonly transport: readonly BindingName[];
  readonly capabilities: Readonly<Record<string, boolean>>;
  readonly behaviours: readonly string[];
  /** It gives a client something to read, instead of asking a server. */
  readonly isForClients: boolean;
  readonly readings: readonly Reading[];
  readonly steps: readonly Step[];
  /** Those of its document. */
  readonly variables: Readonly<Record<string, string>>;
}

const FOLDER = 'a2a/acts';
const MASTER = 'suite.acts.yaml';

/** All tests that the master document includes. */
export function readSuite(): readonly ActsTest[] {
  const master = documentOf(MASTER);
  const { include } = members(master, MASTER, [...DOCUMENT, 'include']);
  return (include as readonly string[]).flatMap(testsOf);
}

const DOCUMENT = ['acts_version', 'spec_version', 'spec_ref', 'metadata', 'variables', 'suites'];

function documentOf(file: string): JsonObject {
  const text = new TextDecoder().decode(vectorBytes(`${FOLDER}/${file}`));
  const document = parse(text) as JsonObject;
  const { acts_version, spec_version } = document;
  if (acts_version !== '1.0' || spec_version !== '1.0') throw new Error(`${file}: other versions`);
  return document;
}

function testsOf(file: string): ActsTest[] {
  const { suites, variables = {} } = members(documentOf(file), file, DOCUMENT);
  return (suites as readonly JsonObject[]).flatMap((suite) => {
    const names = ['id', 'name', 'description', 'tags', 'tests'];
    const { tests } = members(suite, file, names);
    return (tests as readonly JsonObject[]).map((test) =>
      testOf(test, variables as ActsTest['variables']),
    );
  });
}

const TEST = [
  'id',
  'name',
  'description',
  'spec_ref',
  'level',
  'tags',
  'transport',
  'preconditions',
  'requires_behaviors',
  'steps',
];

function testOf(value: JsonObject, variables: ActsTest['variables']): ActsTest {
  const id = value['id'] as string;
  const { name, level, tags = [], transport, steps, preconditions = {} } = members(value, id, TEST);
  const { capabilities = {} } = members(preconditions as JsonObject, id, ['capabilities']);
  const bindings = (transport ?? BINDING_NAMES) as readonly BindingName[];
  const odd = bindings.find((binding) => !BINDING_NAMES.includes(binding));
  if (odd !== undefined) throw new Error(`${id}: there is no binding "${odd}"`);
  const given = steps as readonly JsonObject[];
  const readings = given.flatMap((step) => readingOf(step, id) ?? []);
  const asked = given.filter((step) => step['client_response'] === undefined);
  return {
    id,
    name: name as string,
    level: level as ActsTest['level'],
    tags: tags as readonly string[],
    transport: bindings,
    capabilities: capabilities as ActsTest['capabilities'],
    behaviours: (value['requires_behaviors'] ?? []) as readonly string[],
    isForClients: asked.length === 0,
    readings,
    steps: asked.map((step) => stepOf(step, id)),
    variables,
  };
}

const EXPECTATIONS = ['expect', 'expect_error', 'expect_stream'];
const STEP = ['id', ...EXPECTATIONS, 'capture', 'assertions', 'repeat'];
const RAW = ['method', 'path', 'headers', 'body', 'body_raw'];
const STREAM = ['min_count', 'ordering', 'events', 'final_event', 'each_event'];

/** `undefined` for what a server is asked. */
function readingOf(value: JsonObject, test: string): Reading | undefined {
  const { id, client_response: response, expect_parsed: parsed } = value;
  if (response === undefined) return undefined;
  const where = `${test}, ${id as string}`;
  members(value, where, ['id', 'client_response', 'expect_parsed']);
  const told = members(response as JsonObject, where, ['operation', 'wire_payload']);
  return {
    id: id as string,
    operation: told['operation'] as string,
    payload: told['wire_payload'] as JsonObject,
    parsed: parsed as JsonObject,
  };
}

function stepOf(value: JsonObject, test: string): Step {
  const where = `${test}, ${value['id'] as string}`;
  const { raw, expect_stream, repeat, assertions = [] } = value;
  if (raw === undefined) members(value, where, [...STEP, 'operation', 'params']);
  else members(raw as JsonObject, where, RAW);
  if (raw !== undefined) members(value, where, [...STEP, 'raw']);
  if (!EXPECTATIONS.some((name) => value[name] !== undefined)) {
    throw new Error(`${where}: nothing is expected`);
  }
  if (expect_stream !== undefined) members(expect_stream as JsonObject, where, STREAM);
  if (repeat !== undefined) {
    members(repeat as JsonObject, where, ['until', 'max_attempts', 'delay_ms']);
  }
  for (const assertion of assertions as readonly JsonObject[]) {
    const { any } = members(assertion, where, ['source', 'any']);
    members(any as JsonObject, where, ['path', 'match']);
  }
  return value as unknown as Step;
}

/** The same object, once all of its members are known. */
export function members(
  value: JsonObject,
  where: string,
  known: readonly string[],
): Readonly<Record<string, JsonValue | undefined>> {
  const odd = Object.keys(value).find((name) => !known.includes(name));
  if (odd !== undefined) throw new Error(`${where}: "${odd}" is not known`);
  return value;
}
