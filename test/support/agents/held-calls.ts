// Owns a tool whose calls wait until the test lets them go, so that a test knows what is in flight.

import type { Tool } from '../../../src/handlers/tools/tool.ts';
import { defineTool } from '../../../src/handlers/tools/tool.ts';
import { Gate } from './tasks.ts';

export class HeldCalls {
  /** The keys of all calls that reached the tool, in order; a key that ran twice stands here twice. */
  readonly runs: string[] = [];
  readonly #entered = new Map<string, Gate>();
  readonly #released = new Map<string, Gate>();

  /** `test.hold` with a `key` answers with it once the key was released. */
  readonly tool: Tool = defineTool({
    name: 'test.hold',
    args: { type: 'object', required: ['key'], properties: { key: { type: 'string' } } },
    run: async (args) => {
      const key = args['key'] as string;
      this.runs.push(key);
      gateOf(this.#entered, key).open();
      await gateOf(this.#released, key).opened;
      return key;
    },
  });

  /** Resolves when a call with this key has reached the tool. */
  entered(key: string): Promise<void> {
    return gateOf(this.#entered, key).opened;
  }

  release(key: string): void {
    gateOf(this.#released, key).open();
  }

  releaseAll(): void {
    for (const key of this.#entered.keys()) this.release(key);
  }

  countOf(key: string): number {
    return this.runs.filter((run) => run === key).length;
  }
}

function gateOf(gates: Map<string, Gate>, key: string): Gate {
  const known = gates.get(key);
  if (known !== undefined) return known;
  const gate = new Gate();
  gates.set(key, gate);
  return gate;
}
