// Owns which forms of a body are taken and given: JSON in; one JSON object, lines of JSON or server-sent events out.
// SPEC.md section 18 (#steerqa-http).

import { Refusal } from './refusal.ts';

export type Form = 'json' | 'ndjson' | 'sse';

/** In the order in which they are given to who takes any. */
const TYPES: readonly (readonly [string, Form])[] = [
  ['application/json', 'json'],
  ['application/x-ndjson', 'ndjson'],
  ['text/event-stream', 'sse'],
];

interface Range {
  readonly type: string;
  readonly weight: number;
}

/** Throws a {@link Refusal} for a body that is not JSON in UTF-8. */
export function assertJson(contentType: string | undefined, encoding: string | undefined): void {
  const [type = '', ...parameters] = (contentType ?? '').split(';').map((part) => part.trim());
  const isUtf8 = parameters.every(
    (part) => !/^charset\s*=/i.test(part) || /^charset\s*=\s*"?utf-?8"?$/i.test(part),
  );
  const isPlain = encoding === undefined || /^identity$/i.test(encoding.trim());
  if (type.toLowerCase() === 'application/json' && isUtf8 && isPlain) return;
  throw new Refusal('mediaType', 'an offer is application/json in UTF-8, without an encoding');
}

/** What `Accept` likes best; what it likes the same, in its own order. Throws a {@link Refusal} where it likes nothing. */
export function formFor(accept: string | undefined): Form {
  const ranges = rangesIn(accept ?? '*/*');
  const liked = TYPES.map(([type, form]) => ({ form, ...rangeFor(type, ranges) }))
    .filter(({ weight }) => weight > 0)
    .toSorted(
      (one, other) =>
        other.weight - one.weight || other.precision - one.precision || one.at - other.at,
    );
  const [best] = liked;
  if (best !== undefined) return best.form;
  const offered = TYPES.map(([type]) => type).join(', ');
  throw new Refusal('accept', `the answer can be ${offered}`);
}

function rangesIn(accept: string): readonly Range[] {
  const ranges = accept.split(',').map((range): Range => {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    const quality = parameters.find((part) => part.startsWith('q='));
    const weight = quality === undefined ? 1 : Number(quality.slice(2));
    return { type, weight: weight >= 0 && weight <= 1 ? weight : 0 };
  });
  // A header without a type says nothing.
  return ranges.every(({ type }) => type === '') ? [{ type: '*/*', weight: 1 }] : ranges;
}

/** The most precise range that speaks of the type. */
function rangeFor(
  type: string,
  ranges: readonly Range[],
): { readonly weight: number; readonly precision: number; readonly at: number } {
  const names = ['*/*', `${type.split('/', 1)[0]}/*`, type];
  for (let precision = 2; precision >= 0; precision -= 1) {
    const at = ranges.findIndex((range) => range.type === names[precision]);
    if (at >= 0) return { weight: ranges[at]!.weight, precision, at };
  }
  return { weight: 0, precision: 0, at: 0 };
}
