// Owns what one check of `doctor` says.

import { toCliError } from '../kit/thrown.ts';

export interface Finding {
  /** What was looked at, in one or two words. */
  readonly check: string;
  readonly status: 'ok' | 'warn' | 'fail';
  readonly detail: string;
  /** What mends it. */
  readonly next?: string;
}

/** What the check answers, or what it throws as a failure. */
export async function examine(
  check: string,
  look: () => Promise<Omit<Finding, 'check'>>,
): Promise<Finding> {
  try {
    return { check, ...(await look()) };
  } catch (thrown) {
    const { message, next } = toCliError(thrown);
    return { check, status: 'fail', detail: message, ...(next !== undefined && { next }) };
  }
}
