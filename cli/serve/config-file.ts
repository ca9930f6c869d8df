// Owns reading the file of `--config`: JSON that fits schemas/config.json, or an error that says where it does not, what
// is expected there, and what was probably meant. Secrets in it are never repeated.

import configSchema from '../../schemas/config.json' with { type: 'json' };
import type { JsonObject, JsonValue } from '../../src/codec/index.ts';
import { isJsonArray, isJsonObject, readJson, writeJson } from '../../src/codec/index.ts';
import { SdlError } from '../../src/errors.ts';
import type { SchemaFailure } from '../../src/schema/index.ts';
import { compileTrusted } from '../../src/schema/index.ts';
import type { CliError } from '../kit/exit.ts';
import { failure } from '../kit/exit.ts';
import { readFileBytes } from '../kit/input.ts';
import { suggest } from '../kit/suggest.ts';

/** Their values may hold passwords. */
const SECRET: ReadonlySet<string> = new Set(['admin_token', 'store', 'replay']);
const MAX_SHOWN = 40;

const TYPES: Readonly<Record<string, string>> = {
  object: 'an object',
  array: 'a list of texts',
  string: 'text',
  boolean: 'true or false',
  integer: 'a whole number',
  number: 'a number',
};

/** What schemas/config.json says of a value, as far as it is told to people. */
interface SchemaPart {
  readonly type?: string | readonly string[];
  readonly enum?: readonly string[];
  readonly description?: string;
  readonly minimum?: number;
  readonly exclusiveMinimum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly properties?: Readonly<Record<string, SchemaPart>>;
}

export async function readConfigFile(path: string): Promise<JsonObject> {
  const bytes = await readFileBytes(path);
  const value = parse(bytes, path);
  const fault = compileTrusted(configSchema).validate(value);
  if (fault === undefined) return value as JsonObject;
  throw explain(fault, value, path);
}

function parse(bytes: Uint8Array, path: string): JsonValue {
  try {
    return readJson(bytes);
  } catch (thrown) {
    if (!(thrown instanceof SdlError)) throw thrown;
    const at = thrown.details['at'];
    const text = new TextDecoder().decode(bytes);
    const reason = thrown.reason.replace(/ at character \d+$/, '');
    const place = typeof at === 'number' ? `, ${lineAndColumn(text, at)}` : '';
    throw failure(`${path}${place}: ${reason}`, {
      code: 'CONFIG_INVALID',
      next: mend(text, typeof at === 'number' ? at : 0),
      cause: thrown,
    });
  }
}

function lineAndColumn(text: string, at: number): string {
  const before = text.slice(0, at).split('\n');
  return `line ${before.length}, column ${before.at(-1)!.length + 1}`;
}

/** The mistakes that people make who write JSON by hand. */
function mend(text: string, at: number): string {
  const found = text.charAt(at);
  if (text.trim() === '') return 'write at least {}';
  if (/[}\]]/.test(found) && /,\s*$/.test(text.slice(0, at))) {
    return 'remove the comma before it';
  }
  if (found === '/' || found === '#') return 'remove the comment: JSON has none';
  if (found === "'") return `write names and texts with ", not with '`;
  return 'mend it there; a configuration is one JSON object';
}

function explain(fault: SchemaFailure, whole: JsonValue, file: string): CliError {
  const names = namesIn(fault.instancePath);
  const holder = partOf(namesIn(fault.schemaPath).slice(0, -1));
  const place = names.length === 0 ? 'the whole file' : dotted(names);
  const say = (words: string, next: string): CliError =>
    failure(`${file}: ${place}: ${words}`, { code: 'CONFIG_INVALID', next });
  const name = names.at(-1) ?? '';
  const { properties = {} } = holder;
  const members = Object.keys(properties);
  if (fault.keyword === 'additionalProperties') {
    const nearest = suggest(name, members);
    return say(
      'there is no such setting',
      nearest === undefined
        ? `the settings there are ${members.join(', ')}`
        : `did you mean ${dotted([...names.slice(0, -1), nearest])}?`,
    );
  }
  if (fault.keyword === 'required') {
    const group = names.slice(0, -1).reduce<JsonValue | undefined>(memberOf, whole);
    const wrong = Object.keys(group as JsonObject).find((member) => !members.includes(member));
    return say(
      `it is missing, and has to be ${expected(properties[name]!)}`,
      wrong === undefined
        ? 'add it, or leave its group out'
        : `${dotted([...names.slice(0, -1), wrong])} is no setting: did you mean ${place}?`,
    );
  }
  const given = names.reduce<JsonValue | undefined>(memberOf, whole);
  const got = SECRET.has(name) && typeof given === 'string' ? '' : `, got ${shown(given)}`;
  return say(
    `expected ${expected(holder)}${got}`,
    'change it in the file; schemas/config.json in the package lists all settings',
  );
}

/** What a part of the schema takes, in plain words. */
function expected(part: SchemaPart): string {
  if (part.enum !== undefined) return `one of ${part.enum.map(quoted).join(', ')}`;
  const { type, description, minimum, exclusiveMinimum, minLength, maxLength } = part;
  if (typeof type !== 'string') return 'an object, or false';
  const word = TYPES[type]!;
  if (minimum !== undefined) return `${word} of at least ${minimum}`;
  if (exclusiveMinimum !== undefined) return `${word} above ${exclusiveMinimum}`;
  if (minLength === undefined) return word;
  if (description !== undefined) return `${word}: ${description}`;
  if (minLength === maxLength) return `${word} of ${minLength} characters`;
  return minLength === 1
    ? `${word} that is not empty`
    : `${word} of at least ${minLength} characters`;
}

function shown(value: JsonValue | undefined): string {
  if (isJsonArray(value)) return 'a list';
  if (isJsonObject(value)) return 'an object';
  if (typeof value === 'string') return quoted(value);
  return value === undefined ? 'nothing' : new TextDecoder().decode(writeJson(value));
}

function quoted(text: string): string {
  return JSON.stringify(text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text);
}

function partOf(names: readonly string[]): SchemaPart {
  return names.reduce<unknown>(
    (part, name) => (part as Record<string, unknown>)[name],
    configSchema,
  ) as SchemaPart;
}

function memberOf(value: JsonValue | undefined, name: string): JsonValue | undefined {
  if (isJsonArray(value)) return value[Number(name)];
  return isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

/** The names in a JSON pointer. */
function namesIn(pointer: string): readonly string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'));
}

function dotted(names: readonly string[]): string {
  return names
    .map((name, at) => (/^\d+$/.test(name) ? `[${name}]` : at ? `.${name}` : name))
    .join('');
}
