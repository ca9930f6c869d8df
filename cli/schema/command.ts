// Owns the command `schema`: the schemas of record, hashes, and whether a payload fits. SPEC.md section 5.

import type { JsonValue } from '../../src/codec/index.ts';
import { isJsonObject } from '../../src/codec/index.ts';
import type { Schema } from '../../src/schema/index.ts';
import { SchemaRegistry, contentHash } from '../../src/schema/index.ts';
import type { Action, CommandGroup } from '../kit/command.ts';
import { EXIT, failure, usageError } from '../kit/exit.ts';
import { readJsonInput } from '../kit/input.ts';
import { prettyJson } from '../kit/pretty-json.ts';
import { suggest } from '../kit/suggest.ts';

const FILE = { name: 'FILE', description: 'a JSON file, or - for stdin' } as const;

/** The name under which a schema of the user's own is checked; no message carries it. */
const OWN_SCHEMA = 'given';

const listCommand: Action = {
  name: 'list',
  summary: 'list the content types and their schema ids',
  examples: ['a2a-sdl schema list'],
  async run({ terminal }) {
    const registry = new SchemaRegistry();
    const rows = [...registry.contentTypes].sort().map((ct) => {
      const { id } = registry.descriptorFor(ct);
      return { ct, id };
    });
    terminal.result(rows, () => terminal.table(rows.map(({ ct, id }) => [ct, id])));
    return EXIT.ok;
  },
};

const showCommand: Action = {
  name: 'show',
  summary: 'print the schema of a content type',
  parameters: [{ name: 'CT', description: 'a content type, such as task.v1' }],
  examples: ['a2a-sdl schema show task.v1'],
  async run({ words, terminal }) {
    const registry = new SchemaRegistry();
    const ct = requireContentType(words[0]!, registry);
    const { embedded } = registry.descriptorFor(ct);
    terminal.result(embedded, () => terminal.printText(prettyJson(embedded)));
    return EXIT.ok;
  },
};

const hashCommand: Action = {
  name: 'hash',
  summary: 'print the content hash of a JSON file, which is the id of a schema',
  parameters: [FILE],
  examples: [
    'a2a-sdl schema hash weather.v1.json',
    'a2a-sdl schema show task.v1 | a2a-sdl schema hash -',
  ],
  async run({ words, terminal }) {
    const id = contentHash(await readJsonInput(words[0]!, terminal));
    terminal.result({ id }, () => terminal.print(id));
    return EXIT.ok;
  },
};

const validateCommand: Action = {
  name: 'validate',
  summary: 'check whether a payload fits a content type or a schema',
  parameters: [FILE],
  options: {
    ct: { type: 'string', value: 'CT', description: 'a content type, such as task.v1' },
    schema: { type: 'string', value: 'FILE', description: 'a schema of your own, instead of --ct' },
  },
  examples: [
    'a2a-sdl schema validate payload.json --ct task.v1',
    'a2a-sdl schema validate payload.json --schema weather.v1.json',
  ],
  async run({ words, options, terminal }) {
    const given = options.text('ct');
    const schemaFile = options.text('schema');
    if ((given === undefined) === (schemaFile === undefined)) {
      throw usageError('either --ct or --schema is needed', 'give one of them');
    }
    const registry = new SchemaRegistry();
    const ct = given === undefined ? OWN_SCHEMA : requireContentType(given, registry);
    if (schemaFile !== undefined) {
      registry.register(OWN_SCHEMA, asSchema(await readJsonInput(schemaFile, terminal)));
    }
    const payload = await readJsonInput(words[0]!, terminal);
    const descriptor = registry.descriptorFor(ct);
    registry.checkOwn({ ct, payload, descriptor });
    terminal.result({ valid: true, schema: descriptor.id }, () => terminal.print('it fits'));
    return EXIT.ok;
  },
};

export const schemaCommand: CommandGroup = {
  name: 'schema',
  summary: 'content types, their schemas, and what fits them',
  commands: {
    list: async () => listCommand,
    show: async () => showCommand,
    hash: async () => hashCommand,
    validate: async () => validateCommand,
  },
};

/** The content type, if it is a known one. */
export function requireContentType(ct: string, registry: SchemaRegistry): string {
  if (registry.contentTypes.has(ct)) return ct;
  const nearest = suggest(ct, registry.contentTypes);
  throw failure('this content type is not known', {
    code: 'CT_UNSUPPORTED',
    next: nearest === undefined ? 'see "a2a-sdl schema list"' : `did you mean ${nearest}?`,
  });
}

function asSchema(value: JsonValue): Schema {
  if (typeof value === 'boolean' || isJsonObject(value)) return value;
  throw failure('a schema is an object, or true or false');
}
