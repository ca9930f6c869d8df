// Owns how an offer fails for Root: the agent's own code, or that nothing usable came. SPEC.md section 18 (#steerqa-root).

export interface FailureFacts {
  /** Another try may succeed. */
  readonly retryable: boolean;
  /** Of the HTTP answer. @default there was none */
  readonly status?: number;
  readonly cause?: unknown;
}

/** As a code: nothing usable came. */
export const TRANSPORT = 'TRANSPORT';

/** Match on `code`: that of the agent's error, or `TRANSPORT` when none came. */
export class SteerqaFailure extends Error {
  override readonly name = 'SteerqaFailure';
  readonly code: string;
  readonly retryable: boolean;
  readonly status: number | undefined;

  constructor(code: string, words: string, { retryable, status, cause }: FailureFacts) {
    super(`${code}: ${words}`, cause === undefined ? undefined : { cause });
    this.code = code;
    this.retryable = retryable;
    this.status = status;
  }
}

/** No answer, half of one, or one that says nothing in SteerQA. */
export function transportFailure(words: string, status?: number, cause?: unknown): SteerqaFailure {
  const facts = { retryable: true, ...(status !== undefined && { status }), cause };
  return new SteerqaFailure(TRANSPORT, words, facts);
}
