// Owns the tools that an agent offers, each under one name, its arguments checked before it runs.
// SPEC.md sections 5.2 and 9 (#schema-work, #content-types).

import { quoteForLog } from '../../codec/pointer.ts';
import type { JsonObject, JsonValue } from '../../codec/value.ts';
import type { MaybePromise } from '../../crypto/provider.ts';
import { SdlError } from '../../errors.ts';
import type { Schema } from '../../schema/descriptor.ts';
import type { TrustedSchema } from '../../schema/trusted-schema.ts';
import { compileTrusted } from '../../schema/trusted-schema.ts';
import { BUILTIN_TOOLS } from './builtin.ts';
import { isStandardSchema, jsonSchemaOf, parseWith } from '../custom/standard-schema.ts';
import { argumentPath, declaredNames } from './argument-path.ts';
import type { Tool, ToolContext, ToolOutput } from './tool.ts';

export interface ToolRegistryOptions {
  /** Start with `sys.ping` and `math.add`. @default true */
  readonly builtins?: boolean;
}

/** A tool as others are told of it. */
export interface ToolDescription {
  readonly name: string;
  readonly description?: string;
  readonly args: Schema;
  readonly result?: Schema;
}

/** A tool that is ready to be called. */
export interface RegisteredTool extends ToolDescription {
  readonly isRead: boolean;
  /** What `run` takes. Throws PAYLOAD_INVALID; `details.path` is a place in the payload of `toolcall.v1`. */
  readonly parseArgs: (args: JsonObject) => MaybePromise<unknown>;
  readonly run: (args: unknown, context: ToolContext) => ToolOutput;
  /** Throws a TypeError for a result that the tool's own schema does not allow. */
  readonly checkResult: (result: JsonValue) => void;
}

const NAME = /^[A-Za-z0-9_.:/-]{1,128}$/;
const ANYTHING: Schema = Object.freeze({});

export class ToolRegistry {
  readonly #tools = new Map<string, RegisteredTool>();

  constructor({ builtins = true }: ToolRegistryOptions = {}) {
    if (builtins) for (const tool of BUILTIN_TOOLS) this.add(tool);
  }

  /** Adds a tool. A second one of the same name is an error. */
  add(tool: Tool): this {
    const { name, description } = tool;
    if (!NAME.test(name)) {
      throw new TypeError('"name" expected 1 to 128 letters, digits and _ . : / -');
    }
    if (this.#tools.has(name)) throw new TypeError(`the tool "${name}" is registered already`);
    if (typeof tool.run !== 'function') throw new TypeError('"run" expected a function');
    this.#tools.set(
      name,
      Object.freeze<RegisteredTool>({
        name,
        ...(description !== undefined && { description }),
        isRead: tool.isRead === true,
        ...argumentsOf(tool),
        ...resultOf(tool.result),
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
    return this.names().map((name) => descriptionOf(this.#tools.get(name)!));
  }
}

function descriptionOf({ name, description, args, result }: RegisteredTool): ToolDescription {
  return {
    name,
    ...(description !== undefined && { description }),
    args,
    ...(result !== undefined && { result }),
  };
}

function argumentsOf({ args, argsJsonSchema }: Tool): Pick<RegisteredTool, 'args' | 'parseArgs'> {
  if (isStandardSchema(args)) {
    const shown = argsJsonSchema ?? jsonSchemaOf(args) ?? ANYTHING;
    const declared = declaredNames(shown);
    return {
      args: shown,
      parseArgs: (given) => parseWith(args, given, (path) => argumentPath(path, given, declared)),
    };
  }
  const { schema, validate } = compile('args', args);
  return {
    args: schema,
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

function resultOf(result: Schema | undefined): Pick<RegisteredTool, 'result' | 'checkResult'> {
  if (result === undefined) return { checkResult: () => undefined };
  const { schema, validate } = compile('result', result);
  return {
    result: schema,
    checkResult: (given) => {
      const failure = validate(given);
      if (failure === undefined) return;
      const place = quoteForLog(failure.instancePath);
      throw new TypeError(`the result does not fit its schema: "${failure.keyword}" at ${place}`);
    },
  };
}

function compile(option: string, given: Schema): TrustedSchema {
  if (typeof given !== 'boolean' && (typeof given !== 'object' || given === null)) {
    throw new TypeError(`"${option}" expected a JSON Schema or a Standard Schema validator`);
  }
  return compileTrusted(given);
}
