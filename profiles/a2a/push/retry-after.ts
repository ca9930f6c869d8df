// Owns how long a receiver asks to be left alone (RFC 9110, Retry-After). SPEC.md section 20 (#a2a-push-delivery).

const SECONDS = /^\d{1,9}$/;
const HTTP_DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/** In milliseconds; 0 where it says nothing that can be understood, or that has passed. */
export function retryAfterMs(value: string | undefined, nowMs: number): number {
  const text = value?.trim() ?? '';
  if (SECONDS.test(text)) return Number(text) * 1_000;
  const moment = HTTP_DATE.test(text) ? Date.parse(text) : NaN;
  return Number.isNaN(moment) ? 0 : Math.max(0, moment - nowMs);
}
