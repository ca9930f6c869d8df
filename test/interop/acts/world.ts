// Owns all that one run of one test works with.

import type { JsonValue } from '../../../src/codec/value.ts';
import type { ConformanceAgent } from '../../support/a2a/conformance-agent.ts';
import type { Binding } from './bindings/binding.ts';
import type { ActsTest } from './document.ts';
import type { Judge } from './judge.ts';

export interface World {
  readonly test: ActsTest;
  readonly agent: ConformanceAgent;
  readonly binding: Binding;
  readonly judge: Judge;
  /** What abstract operations show; `undefined` where nobody has to show anything. */
  readonly token: string | undefined;
  /** Grows with what steps capture. */
  readonly variables: Map<string, string>;
  /** What each step got, by its id. */
  readonly responses: Map<string, JsonValue>;
}
