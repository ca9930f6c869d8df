// Owns the tools that an agent offers, each under one name, its arguments checked before it runs.
// SPEC.md sections 5.2 and 9 (#schema-work, #content-types).

import { quoteForLog } from '../../codec/pointer.ts';
import type { JsonObject, JsonValue } from '../../codec/value.ts';
import type { MaybePromise } from '../../crypto/provider.ts';
import { SdlError } from '../../errors.ts';
import type { Schema } from '../../schema/descriptor.ts';
import type { TrustedSchema } from '../../schema/trusted-schema.ts';
import { compileTrusted } from '../../schema/trusted-schema.ts';
import { isStandardSchema, jsonSchemaOf, parseWith } from '../custom/standard-schema.ts';
import { argumentPath, declaredNames } from './argument-path.ts';
import { BUILTIN_TOOLS } from './builtin.ts';
import type { ToolDescription } from './description.ts';
import { describeTool } from './description.ts';
import { createListTool } from './list.ts';
import type { Tool, ToolContext, ToolOutput } from './tool.ts';

export interface ToolRegistryOptions {
  /** Start with `sys.ping`, `math.add` and `tool.list`. @default true */
  readonly builtins?: boolean;
}

/** A tool that is ready to be called. */
export interface RegisteredTool {
  readonly name: string;
  readonly isRead: boolean;
  /** As others are told of it. */
  readonly description: ToolDescription;
  /** What `run` takes. Throws PAYLOAD_INVALID; `details.path` is a place in the payload of `toolcall.v1`. */
  readonly parseArgs: (args: JsonObject) => MaybePromise<unknown>;
  readonly run: (args: unknown, context: ToolContext) => ToolOutput;
  /** Throws a TypeError for a result that the tool's own schema does not allow. */
  readonly checkResult: (result: JsonValue) => MaybePromise<void>;
}

const NAME = /^[A-Za-z0-9_.:/-]{1,128}$/;
/** What is told of a validator that cannot write a JSON Schema. */
const ANYTHING: Schema = true;

export class ToolRegistry {
  readonly #tools = new Map<string, RegisteredTool>();

  constructor({ builtins = true }: ToolRegistryOptions = {}) {
    if (builtins) for (const tool of [...BUILTIN_TOOLS, createListTool(this)]) this.add(tool);
  }

  /** Adds a tool. A second one of the same name is an error. */
  add(tool: Tool): this {
    const { name, title, description } = tool;
    if (!NAME.test(name)) {
      throw new TypeError('"name" expected 1 to 128 letters, digits and _ . : / -');
    }
    if (this.#tools.has(name)) throw new TypeError(`the tool "${name}" is registered already`);
    if (typeof tool.run !== 'function') throw new TypeError('"run" expected a function');
    assertText('title', title);
    assertText('description', description);
    if (Object.hasOwn(tool, 'argsJsonSchema')) {
      throw new TypeError('"argsJsonSchema" is now "jsonSchema": write jsonSchema: { args: … }');
    }
    const { args, parseArgs } = argumentsOf(tool);
    const { result, checkResult } = resultOf(tool);
    this.#tools.set(
      name,
      Object.freeze<RegisteredTool>({
        name,
        isRead: tool.isRead === true,
        description: describeTool({ name, title, description, args, result }),
        parseArgs,
        checkResult,
        run: tool.run as RegisteredTool['run'],
      }),
    );
    return this;
  }

  find(name: string): RegisteredTool | undefined {
    return this.#tools.get(name);
  }

  /** Sorted. */
  names(): string[] {
    return [...this.#tools.keys()].sort();
  }

  /** By name. */
  list(): ToolDescription[] {
    return this.names().map((name) => this.#tools.get(name)!.description);
  }
}

function argumentsOf(tool: Tool): Pick<RegisteredTool, 'parseArgs'> & { readonly args: Schema } {
  const { args } = tool;
  const told = toldSchema(tool, 'args');
  if (isStandardSchema(args)) {
    const shown = told ?? jsonSchemaOf(args) ?? ANYTHING;
    const declared = declaredNames(shown);
    return {
      args: shown,
      parseArgs: (given) => parseWith(args, given, (path) => argumentPath(path, given, declared)),
    };
  }
  const { schema, validate } = compile('args', args);
  return {
    args: told ?? schema,
    parseArgs: (given) => {
      const failure = validate(given);
      if (failure === undefined) return given;
      const { path, keyword, schemaPath, instancePath } = failure;
      throw new SdlError(
        'PAYLOAD_INVALID',
        `the arguments do not fit the tool: "${keyword}" at ${quoteForLog(instancePath)}`,
        { details: { path: `/args${path}`, keyword, schema_path: schemaPath } },
      );
    },
  };
}

function resultOf(tool: Tool): Pick<RegisteredTool, 'checkResult'> & { readonly result: Schema } {
  const { result } = tool;
  const told = toldSchema(tool, 'result');
  if (result === undefined) return { result: told ?? ANYTHING, checkResult: () => undefined };
  if (isStandardSchema(result)) {
    return {
      result: told ?? jsonSchemaOf(result) ?? ANYTHING,
      checkResult: async (given) => {
        await parseWith(result, given).catch((cause: unknown) => {
          throw new TypeError('the result does not fit its validator', { cause });
        });
      },
    };
  }
  const { schema, validate } = compile('result', result);
  return {
    result: told ?? schema,
    checkResult: (given) => {
      const failure = validate(given);
      if (failure === undefined) return;
      const place = quoteForLog(failure.instancePath);
      throw new TypeError(`the result does not fit its schema: "${failure.keyword}" at ${place}`);
    },
  };
}

function toldSchema({ jsonSchema }: Tool, which: 'args' | 'result'): Schema | undefined {
  const told = jsonSchema?.[which];
  return told === undefined ? undefined : compile(`jsonSchema.${which}`, told).schema;
}

function assertText(option: string, value: unknown): void {
  if (value === undefined || typeof value === 'string') return;
  throw new TypeError(`"${option}" expected text`);
}

function compile(option: string, given: Schema): TrustedSchema {
  if (typeof given !== 'boolean' && (typeof given !== 'object' || given === null)) {
    throw new TypeError(`"${option}" expected a JSON Schema or a Standard Schema validator`);
  }
  return compileTrusted(given);
}
