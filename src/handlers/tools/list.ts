// Owns `tool.list`: which tools the caller may call, and what each of them takes and gives. SPEC.md section 9 (#tool-list).

import type { ToolDescription } from './description.ts';
import type { Tool } from './tool.ts';
import { defineTool } from './tool.ts';

const SCHEMA = {
  type: ['object', 'boolean'],
  description: 'a JSON Schema; true where nothing is known',
} as const;

const DESCRIPTION = {
  type: 'object',
  properties: {
    name: { type: 'string' },
    title: { type: 'string' },
    description: { type: 'string' },
    args: SCHEMA,
    result: SCHEMA,
    hash: { type: 'string', description: 'content hash of the other members' },
  },
  required: ['name', 'args', 'result', 'hash'],
} as const;

/** Asked at each call: tools may be added later. */
interface ToolSource {
  list(): readonly ToolDescription[];
}

export function createListTool(tools: ToolSource): Tool {
  return defineTool({
    name: 'tool.list',
    title: 'List the tools',
    description: 'The tools that the caller may call, with what each takes and gives.',
    args: { type: 'object', properties: {} },
    result: {
      type: 'object',
      properties: { tools: { type: 'array', items: DESCRIPTION } },
      required: ['tools'],
    },
    isRead: true,
    run: (_args, { mayCall }) => ({
      tools: tools.list().filter(({ name }) => mayCall(name)),
    }),
  });
}
