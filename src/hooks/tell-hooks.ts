// Owns the hooks of tasks in the outbox: one entry for each, of a kind for each face, stored together with the hook.
// SPEC.md section 9 (#task-hooks).

import type { JsonObject } from '../codec/value.ts';
import type { Outbox } from '../outbox/outbox.ts';
import type { Operation } from '../stores/store.ts';
import type { StoredHook } from '../tasks/log/hooks.ts';
import type { HookFacts } from './deliverer.ts';

/** Where a hook stands. */
interface HookPlace {
  readonly tenant: string;
  readonly owner: string;
  readonly id: string;
  readonly key: string;
  readonly hook: StoredHook;
}

/** For `tellHooks` of the task engine. */
export interface TellHooks {
  adding(place: HookPlace, from: number): readonly Operation[];
  dropping(place: HookPlace): readonly Operation[];
  /** @param hooks as the row of the task names them. */
  notice(key: string, hooks: readonly string[]): void;
  /** Whether one of them is still to be told something. */
  isTelling(key: string, hooks: readonly string[]): Promise<boolean>;
}

/** The kind of the entries of one face. */
export function hookKind(face: string): string {
  return `${face}-hook`;
}

export function createTellHooks(
  outbox: Pick<Outbox, 'adding' | 'removing' | 'notice' | 'has'>,
): TellHooks {
  return {
    adding: ({ tenant, owner, id, key, hook }, from) => {
      const { face, number, made, lane = '' } = hook;
      const facts: HookFacts = { tenant, owner, id, key, made, from, lane };
      const asJson = facts as unknown as JsonObject;
      return [outbox.adding(hookKind(face), entryKey(key, number), asJson)];
    },
    dropping: ({ key, hook: { face, number } }) => [
      outbox.removing(hookKind(face), entryKey(key, number)),
    ],
    notice: (key, hooks) => {
      for (const name of hooks) outbox.notice(...entryOf(key, name));
    },
    isTelling: async (key, hooks) => {
      for (const name of hooks) if (await outbox.has(...entryOf(key, name))) return true;
      return false;
    },
  };
}

/** The kind and the key of the entry for a hook, as the row of its task names it. */
function entryOf(key: string, name: string): [string, string] {
  const [face = '', number = ''] = name.split(' ');
  return [hookKind(face), entryKey(key, number)];
}

function entryKey(key: string, number: number | string): string {
  return `${key}.${number}`;
}
