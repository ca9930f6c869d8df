// Owns `serve --handler FILE`: what an ES module may give to the daemon.

import { pathToFileURL } from 'node:url';

import type { ContentHandler, OnTask, Tool } from '../../src/internal.ts';
import { failure } from '../kit/exit.ts';

export interface HandlerModule {
  readonly onTask?: OnTask;
  readonly contents: readonly ContentHandler[];
  readonly tools: readonly Tool[];
}

export async function loadHandlerModule(path: string): Promise<HandlerModule> {
  let module: Readonly<Record<string, unknown>>;
  try {
    module = (await import(pathToFileURL(path).href)) as Record<string, unknown>;
  } catch (cause) {
    const words = cause instanceof Error ? cause.message : String(cause);
    throw failure(`${path} cannot be loaded: ${words}`, {
      code: 'HANDLER_INVALID',
      next: 'check that it is an ES module and that all it imports is installed',
      cause,
    });
  }
  const { onTask } = module;
  const contents = listOf(path, module, 'contents', 'defineContent()');
  const tools = listOf(path, module, 'tools', 'defineTool()');
  if (onTask !== undefined && typeof onTask !== 'function') {
    throw invalid(path, 'its export "onTask" is not a function');
  }
  if (onTask === undefined && contents.length === 0 && tools.length === 0) {
    throw invalid(path, 'it exports none of onTask, contents and tools');
  }
  return {
    ...(onTask !== undefined && { onTask: onTask as OnTask }),
    contents: contents as ContentHandler[],
    tools: tools as Tool[],
  };
}

function listOf(
  path: string,
  module: Readonly<Record<string, unknown>>,
  name: string,
  maker: string,
): readonly unknown[] {
  const value = module[name] ?? [];
  if (Array.isArray(value) && value.every((one) => typeof one === 'object' && one !== null)) {
    return value;
  }
  throw invalid(path, `its export "${name}" is not a list of what ${maker} gives`);
}

function invalid(path: string, what: string): Error {
  return failure(`${path}: ${what}`, {
    code: 'HANDLER_INVALID',
    next: 'export onTask(task, context), contents: [...] or tools: [...]',
  });
}
