// Owns timestamps: RFC 3339, UTC; and the looser form that single peers may be allowed. SPEC.md section 2 (#timestamp).

const FORM = /^(\d{4})-(\d\d)-(\d\d)T([01]\d|2[0-3]):([0-5]\d):([0-5]\d)(?:\.(\d{1,9}))?Z$/;

/** Milliseconds since the epoch, or `undefined` when the text is not a timestamp of ours. */
export function parseTimestamp(text: string): number | undefined {
  const match = FORM.exec(text);
  if (match === null) return undefined;
  const [, year, month, day, hour, minute, second, fraction] = match;
  if (!isCalendarDate(Number(year), Number(month), Number(day))) return undefined;
  // An ISO text with exactly three digits of fraction is the one form that every engine reads alike.
  const millis = (fraction ?? '').padEnd(3, '0').slice(0, 3);
  return Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}.${millis}Z`);
}

const LAX_FORM = /^(.{19}(?:\.\d{1,9})?)(?:Z|([+-])([01]\d|2[0-3]):([0-5]\d))?$/;

/**
 * Milliseconds since the epoch of a timestamp that may have an offset, or no zone, which means UTC.
 * Nothing else is looser than in the strict form: no week dates, no spaces, no missing seconds.
 */
export function parseLaxTimestamp(text: string): number | undefined {
  const match = LAX_FORM.exec(text);
  if (match === null) return undefined;
  const [, local, sign, hours, minutes] = match;
  const asUtc = parseTimestamp(`${local}Z`);
  if (asUtc === undefined || sign === undefined) return asUtc;
  const offsetMs = (Number(hours) * 60 + Number(minutes)) * 60_000;
  // A positive offset is ahead of UTC.
  return sign === '+' ? asUtc - offsetMs : asUtc + offsetMs;
}

/** The last one: what happens at once has the same time. */
let formatted = { epochMs: 0, text: '1970-01-01T00:00:00Z' };

/** Whole seconds are written without a fraction, as v1 peers do. */
export function formatTimestamp(epochMs: number): string {
  if (formatted.epochMs !== epochMs) {
    formatted = { epochMs, text: new Date(epochMs).toISOString().replace('.000Z', 'Z') };
  }
  return formatted.text;
}

const MONTH_DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

function isCalendarDate(year: number, month: number, day: number): boolean {
  if (year < 1 || month < 1 || month > 12 || day < 1) return false;
  const isLeap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  return day <= (month === 2 && isLeap ? 29 : MONTH_DAYS[month - 1]!);
}
