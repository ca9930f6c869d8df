// Owns what `call` tells of the tools of an agent: their names, or what each takes and gives.

import type { JsonObject, JsonValue } from '../../src/codec/index.ts';
import { isJsonArray, isJsonObject } from '../../src/codec/index.ts';
import type { ExchangeOptions, RemoteAgent } from '../../src/client/index.ts';
import { RemoteError, ToolCallError } from '../../src/client/index.ts';
import { failure } from '../kit/exit.ts';
import { prettyJson } from '../kit/pretty-json.ts';
import type { Terminal } from '../kit/terminal.ts';
import { schemaRows } from './schema-words.ts';

/** Those that may be called. An agent without `tool.list` tells no more than names. */
interface Offered {
  readonly tools: readonly (JsonObject & { readonly name: string })[];
  readonly isDescribed: boolean;
}

export async function listTools(
  peer: RemoteAgent,
  terminal: Terminal,
  how: ExchangeOptions,
): Promise<void> {
  const { tools } = await askForTools(peer, how);
  terminal.result({ ok: true, tools: tools.map(({ name }) => name) }, () => {
    if (tools.length === 0) terminal.note('there is no tool that you may call');
    terminal.table(tools.map((tool) => [tool.name, textOf(tool, 'description')]));
  });
}

export async function describeTools(
  peer: RemoteAgent,
  tool: string | undefined,
  terminal: Terminal,
  target: string,
  how: ExchangeOptions,
): Promise<void> {
  const { tools: all, isDescribed } = await askForTools(peer, how);
  const tools = tool === undefined ? all : all.filter(({ name }) => name === tool);
  if (tool !== undefined && tools.length === 0) {
    throw failure(`there is no tool "${tool}" that you may call`, {
      code: 'TOOL_UNKNOWN',
      next: `see which there are: a2a-sdl call ${target}`,
    });
  }
  if (!isDescribed) {
    terminal.note(`${target} tells only the names of its tools: it has no "tool.list" for you`);
  }
  terminal.result({ ok: true, tools }, () => {
    if (tools.length === 0) terminal.note('there is no tool that you may call');
    for (const [at, one] of tools.entries()) {
      if (at > 0) terminal.print();
      if (isDescribed) show(one, terminal);
      else terminal.print(one.name);
    }
  });
}

async function askForTools(peer: RemoteAgent, how: ExchangeOptions): Promise<Offered> {
  try {
    const told = await peer.call('tool.list', {}, how);
    const tools = isJsonObject(told) ? told['tools'] : undefined;
    return { tools: (isJsonArray(tools) ? tools : []).filter(isDescription), isDescribed: true };
  } catch (thrown) {
    // It does not have the tool, or does not let this caller use it.
    if (!(thrown instanceof ToolCallError) && !(thrown instanceof RemoteError)) throw thrown;
  }
  const { available_tools: offered } = await peer.negotiate(how);
  const names = (isJsonArray(offered) ? offered : []).filter((name) => typeof name === 'string');
  return { tools: names.map((name) => ({ name })), isDescribed: false };
}

function isDescription(value: JsonValue): value is JsonObject & { readonly name: string } {
  return isJsonObject(value) && typeof value['name'] === 'string';
}

function show(tool: JsonObject & { readonly name: string }, terminal: Terminal): void {
  const title = textOf(tool, 'title');
  const name = terminal.style('bold', tool.name);
  terminal.print(title === '' ? name : `${name}  ${title}`);
  const description = textOf(tool, 'description');
  if (description !== '') terminal.print(`  ${description}`);
  showSchema('arguments', tool['args'] ?? true, terminal);
  showSchema('result', tool['result'] ?? true, terminal);
  const hash = textOf(tool, 'hash');
  if (hash !== '') terminal.print(`  ${terminal.style('dim', hash)}`);
}

function showSchema(what: string, schema: JsonValue, terminal: Terminal): void {
  const rows = schemaRows(schema);
  if (typeof rows === 'string') {
    terminal.print(`  ${what}: ${rows}`);
    return;
  }
  terminal.print(`  ${what}:`);
  if (rows === undefined) terminal.printText(`    ${prettyJson(schema, '    ')}`);
  else terminal.table(rows.map((row) => ['  '].concat(row)));
}

function textOf(tool: JsonObject, member: string): string {
  const text = tool[member];
  return typeof text === 'string' ? text : '';
}
