// The command `call` without a call: which tools an agent has, and what they take and give.

import { beforeAll, afterAll, describe, expect, test } from 'vitest';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as v from 'valibot';

import { homeAt } from '../../../cli/home/home.ts';
import type { ReadyHome } from '../../../cli/home/init.ts';
import type { JsonObject } from '../../../src/codec/value.ts';
import { ToolRegistry } from '../../../src/handlers/tools/registry.ts';
import { defineTool } from '../../../src/handlers/tools/tool.ts';
import { createToolCallHandler } from '../../../src/handlers/tools/toolcall.ts';
import type { RuntimeOptions } from '../../../src/runtime/options.ts';
import type { Runtime } from '../../../src/runtime/runtime.ts';
import { createRuntime } from '../../../src/runtime/runtime.ts';
import { contentHash } from '../../../src/schema/content-hash.ts';
import { ipc } from '../../../transports/ipc/index.ts';
import type { CliRun } from '../../support/agents/cli.ts';
import { runCli } from '../../support/agents/cli.ts';
import { openHome } from '../../support/agents/daemon-peers.ts';
import { rightsOf } from '../../support/trust/rights.ts';

const tools = [
  defineTool({
    name: 'paint.wall',
    title: 'Paint a wall',
    description: 'Paints\u001B[31m one wall.',
    args: {
      type: 'object',
      properties: {
        colour: { enum: ['red', 'blue'], description: 'of the wall' },
        coats: { type: 'integer' },
      },
      required: ['colour'],
    },
    run: () => null,
  }),
  defineTool({ name: 'secret.args', args: v.object({}), run: () => null }),
  defineTool({
    name: 'tree.grow',
    args: { type: 'object', properties: { tree: { $ref: '#/$defs/t' } }, $defs: { t: true } },
    run: () => null,
  }),
];

let folder: string;
const running: Runtime[] = [];

/** An agent at the socket of a home of its own, and the command line of that home. */
async function serve(
  name: string,
  options: Partial<RuntimeOptions>,
  prepare: (home: ReadyHome) => Promise<void> = async () => undefined,
): Promise<(...args: string[]) => Promise<CliRun>> {
  const path = join(folder, name);
  const home = await openHome(path);
  await prepare(home);
  const runtime = createRuntime({
    identity: home.identities.agent,
    peers: home.books.agent,
    ...options,
  });
  running.push(runtime);
  await runtime.listen(ipc({ path: homeAt(path).socket }));
  return (...args) => runCli([...args, '--home', path], { nowMs: Date.now() });
}

let agent: (...args: string[]) => Promise<CliRun>;
/** As agents were before they had `tool.list`. */
let oldAgent: typeof agent;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'call-'));
  agent = await serve('new', { tools });
  const few = new ToolRegistry({ builtins: false });
  for (const tool of tools) few.add(tool);
  const toolcall = createToolCallHandler({ tools: few, rights: rightsOf() });
  oldAgent = await serve('old', { contents: [toolcall], tools });
});

afterAll(async () => {
  await Promise.all(running.map((runtime) => runtime.close({ graceMs: 0 })));
  rmSync(folder, { recursive: true, force: true });
});

describe('#tool-list call PEER', () => {
  test('lists the names, with a description where there is one', async () => {
    const { code, stdout } = await agent('call', 'agent');
    expect(code).toBe(0);
    const lines = stdout.trimEnd().split('\n');
    expect(lines).toContainEqual(expect.stringMatching(/^math\.add {3,}Adds numbers/));
    expect(lines).toContain('secret.args');
    const { tools: names } = (await agent('call', 'agent', '--json')).json() as {
      tools: string[];
    };
    expect(names).toEqual(lines.map((line) => line.split(' ')[0]));
  });

  test('lists the names that an agent without tool.list tells', async () => {
    const { code, stdout } = await oldAgent('call', 'agent');
    expect([code, stdout.split('\n')]).toEqual([0, expect.arrayContaining(['paint.wall'])]);
  });

  test('lists the names where tool.list may not be called', async () => {
    const poor = await serve('poor', { tools }, async ({ books, identities }) => {
      await books.agent.update(identities.operator.agentId, { tools: ['paint.wall'] });
    });
    const { code, stdout } = await poor('call', 'agent');
    expect([code, stdout]).toEqual([0, 'paint.wall\n']);
  });
});

describe('#tool-list call PEER --describe', () => {
  test('shows a tool to people, and nothing in it steers their terminal', async () => {
    const { code, stdout, stderr } = await agent('call', 'agent', 'paint.wall', '--describe');
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(
      new RegExp(
        [
          String.raw`^paint\.wall {2}Paint a wall`,
          String.raw` {2}Paints\\u001b\[31m one wall\.`,
          ' {2}arguments:',
          ' {4}colour {2}"red" or "blue" {2}required; of the wall',
          ' {4}coats {3}integer',
          ' {2}result: not told',
          String.raw` {2}sha256:[0-9a-f]{64}\n$`,
        ].join(String.raw`\n`),
      ),
    );
  });

  test('shows all tools, and a schema that has no short words as it is', async () => {
    const { code, stdout } = await agent('call', 'agent', '--describe');
    expect(code).toBe(0);
    for (const name of ['math.add', 'sys.ping', 'secret.args', 'tool.list']) {
      expect(stdout).toContain(`\n${name}`.slice(name === 'math.add' ? 1 : 0));
    }
    expect(stdout).toContain('"$ref": "#/$defs/t"');
    expect(stdout).toContain('values  array of number  required');
  });

  test('gives programs what the agent said', async () => {
    const run = await agent('call', 'agent', '--describe', 'paint.wall', '--json');
    const { ok, tools: told } = run.json() as { ok: boolean; tools: JsonObject[] };
    const { hash, ...rest } = told[0]!;
    expect([ok, told.length, hash]).toEqual([true, 1, contentHash(rest)]);
    expect(rest).toMatchObject({ name: 'paint.wall', args: { required: ['colour'] } });
  });

  test('says so when the agent tells only names', async () => {
    const { code, stdout, stderr } = await oldAgent('call', 'agent', '--describe', 'paint.wall');
    expect([code, stdout]).toEqual([0, 'paint.wall\n']);
    expect(stderr).toContain('agent tells only the names of its tools');
  });

  test.each<[string[], number, string]>([
    [['no.such'], 1, 'see which there are: a2a-sdl call agent'],
    [['math.add', '{}'], 2, '--describe calls nothing'],
  ])('of %j fails and says why', async (words, exitCode, said) => {
    const { code, stderr } = await agent('call', 'agent', '--describe', ...words);
    expect([code, stderr]).toEqual([exitCode, expect.stringContaining(said)]);
  });
});
