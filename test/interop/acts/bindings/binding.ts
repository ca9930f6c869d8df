// Owns what the runner can ask an agent for, whatever binding carries it.

import type { JsonObject } from '../../../../src/codec/value.ts';
import type { BindingName } from '../document.ts';
import type { ToldError } from '../errors.ts';
import type { Method } from '../requests.ts';

/** What came back, without the envelope of the binding. */
export type Answer = {
  /** Of HTTP; of gRPC its name. */
  readonly status: number | string;
  readonly headers: Headers;
} & ({ readonly value: JsonObject } | { readonly error: ToldError });

/** A refusal, or events until the agent ends the stream; leaving them closes the connection. */
type Streamed =
  { readonly error: ToldError } | { readonly events: AsyncGenerator<JsonObject, void> };

export interface Binding {
  readonly name: BindingName;
  /** @param token of the caller. @default nothing is shown */
  call(method: Method, request: JsonObject, token?: string): Promise<Answer>;
  stream(method: Method, request: JsonObject, token?: string): Promise<Streamed>;
  close(): void;
}
