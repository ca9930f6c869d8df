// Owns the time of an event: RFC 3339 as the upstream program reads and prints it. SPEC.md section 17 (#assay-time).

/** Of a packet that has no time, or none that can be read. */
export const DEFAULT_TIME = '2023-11-16T02:00:00Z';

const RFC_3339 =
  /^(\d{4})-(\d{2})-(\d{2})[Tt ](\d{2}):(\d{2}):(\d{2})(?:\.(\d+))?(?:[Zz]|([+\-\u2212])(\d{2}):(\d{2}))$/;
const MINUTE_MS = 60_000;

/** The moment in UTC, or `undefined` where the text is no time. A second 60 stays one. */
export function eventTime(text: string): string | undefined {
  const match = RFC_3339.exec(text);
  if (match === null) return undefined;
  const [, years, months, days, hours, minutes, seconds, fraction = '', sign] = match;
  const [year, month, day] = [Number(years), Number(months), Number(days)];
  const [hour, minute, second] = [Number(hours), Number(minutes), Number(seconds)];
  const [offsetHours, offsetMinutes] = [Number(match[9] ?? 0), Number(match[10] ?? 0)];
  if (hour > 23 || minute > 59 || second > 60 || offsetHours > 23 || offsetMinutes > 59) {
    return undefined;
  }
  // Not Date.UTC, which takes the years before 100 for others.
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return undefined;
  const offset = (offsetHours * 60 + offsetMinutes) * (sign === '+' ? -1 : 1);
  const moment = new Date(date.getTime() + (hour * 60 + minute + offset) * MINUTE_MS);
  return `${dateText(moment)}T${two(moment.getUTCHours())}:${two(moment.getUTCMinutes())}:${seconds}${fractionText(fraction)}Z`;
}

function dateText(moment: Date): string {
  const year = moment.getUTCFullYear();
  const digits = String(Math.abs(year)).padStart(4, '0');
  const sign = year < 0 ? '-' : year > 9_999 ? '+' : '';
  return `${sign}${digits}-${two(moment.getUTCMonth() + 1)}-${two(moment.getUTCDate())}`;
}

/** Nine digits at most, cut and not rounded, without groups of three zeros at the end. */
function fractionText(fraction: string): string {
  const nanos = fraction.slice(0, 9).padEnd(9, '0');
  const kept = nanos.replace(/(?:000){1,3}$/, '');
  return kept === '' ? '' : `.${kept}`;
}

function two(value: number): string {
  return String(value).padStart(2, '0');
}
