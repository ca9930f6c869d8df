// Owns moments on the wire: RFC 3339, always with an offset. SPEC.md section 18 (#steerqa-messages).

const FORM =
  /^(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(?:\.(\d+))?(?:[Zz]|([+-])(\d\d):(\d\d))$/;

/** Milliseconds since the epoch; `undefined` for what is no moment. */
export function readMoment(text: string): number | undefined {
  const match = FORM.exec(text);
  if (match === null) return undefined;
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const [, , , , , , , fraction = '', sign = '+', offsetHours = '0', offsetMinutes = '0'] = match;
  const isDay = month >= 1 && month <= 12 && day >= 1 && day <= daysOf(year, month);
  // A leap second is the first moment of the next minute.
  const isTime = hour <= 23 && minute <= 59 && second <= 60;
  const isOffset = Number(offsetHours) <= 23 && Number(offsetMinutes) <= 59;
  if (!isDay || !isTime || !isOffset) return undefined;
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  date.setUTCHours(hour, minute, second, Number(fraction.padEnd(3, '0').slice(0, 3)));
  const offset = (Number(offsetHours) * 60 + Number(offsetMinutes)) * 60_000;
  return date.getTime() - (sign === '-' ? -offset : offset);
}

export function writeMoment(ms: number): string {
  return new Date(ms).toISOString();
}

function daysOf(year: number, month: number): number {
  if (month !== 2) return [4, 6, 9, 11].includes(month) ? 30 : 31;
  const isLeap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  return isLeap ? 29 : 28;
}
