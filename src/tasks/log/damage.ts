// Owns what is said of a task whose row and log disagree, as after a copy that was made by halves: nobody can write to it,
// and nobody tries for ever.

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
