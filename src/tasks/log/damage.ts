// Owns the error for a task with a row and a log that disagree, as after an incomplete copy. Nobody can write to such a
// task, so this error also ends every attempt to do so.

import { SdlError } from '../../errors.ts';

export class TaskDamage extends SdlError {
  readonly key: string;

  /** @param key that of the task in the store, by which `store check` names it. */
  constructor(key: string, what = 'the row and the log') {
    super(
      'INTERNAL',
      `${what} of task ${key} disagree, so it is left alone: run "a2a-sdl store check"`,
    );
    this.key = key;
  }
}
