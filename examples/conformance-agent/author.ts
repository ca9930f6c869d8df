// Owns how the conformance agent goes through a task, turn by turn, and what it says before there is one.

import type { OnTask, RuntimeOptions, Task } from 'a2a-sdl';
import { SdlError, isJsonObject } from 'a2a-sdl';
import type { Message, Part } from 'a2a-sdl/door';

import type { Behaviour } from './behaviours.ts';
import { COMPLETE, CONVERSE, DIRECT_WORDS, MESSAGE_RESPONSE, behaviourOf } from './behaviours.ts';

/** A prefix of its own decides in every turn. */
export const onTask: OnTask = async (task, ctx) => {
  const [asked] = task.history;
  let behaviour = behaviourOf(asked!) ?? (isOf03(task) ? CONVERSE : COMPLETE);
  for (;;) {
    const reply: Message | undefined = await behaviour.act(ctx);
    if (reply === undefined) return;
    const next: Behaviour = behaviour.goesOn?.(reply) === true ? behaviour : COMPLETE;
    behaviour = behaviourOf(reply) ?? next;
  }
};

/** The suite of 0.3 goes on with any task, and cancels it: none may end by itself. */
function isOf03({ source: { value } }: Task): boolean {
  return isJsonObject(value) && value['version'] === '0.3';
}

/** @param inputModes media types that are taken; `undefined` for all. */
export function acceptsFor(
  inputModes: readonly string[] | undefined,
): NonNullable<RuntimeOptions['accepts']> {
  return (message) => {
    const odd = message.parts.map(declaredType).find((type) => !isTaken(inputModes, type));
    if (odd !== undefined) {
      throw new SdlError('CT_UNSUPPORTED', 'a part is of a media type that is not taken');
    }
    return behaviourOf(message) === MESSAGE_RESPONSE ? DIRECT_WORDS : undefined;
  };
}

/** There are tests that say the type of a part in its metadata; the face looks at `mediaType`. */
function declaredType({ metadata }: Part): string | undefined {
  const type = metadata?.['contentType'];
  return typeof type === 'string' ? type : undefined;
}

function isTaken(modes: readonly string[] | undefined, type: string | undefined): boolean {
  return modes === undefined || type === undefined || modes.includes(type.toLowerCase());
}
