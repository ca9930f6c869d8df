// Owns what of an artifact is new to who has seen its beginning. Agents differ in whether a piece of text is a part of its
// own or goes on with the one before it, so text is compared as text. SPEC.md section 20 (#a2a-client-streams).

import type { Part } from '../../../../src/door/index.ts';
import { writeJson } from '../../../../src/transport.ts';

/** Empty where all was seen; `undefined` where what was seen is not how it begins. */
export function remainderOf(
  whole: readonly Part[],
  seen: readonly Part[],
): readonly Part[] | undefined {
  const [all, known] = [joined(whole), joined(seen)];
  const last = known.at(-1);
  if (last === undefined) return all;
  const isAhead = known.length > all.length;
  // Who is ahead has seen what is not in there yet.
  if (isAhead) return remainderOf(seen, whole) === undefined ? undefined : [];
  const place = known.length - 1;
  for (let at = 0; at < place; at += 1) if (!isEqual(all[at]!, known[at]!)) return undefined;
  const same = all[place]!;
  const rest = all.slice(known.length);
  if (isEqual(same, last)) return rest;
  if (!('text' in same && 'text' in last)) return undefined;
  if (same.text.startsWith(last.text)) {
    return [{ ...same, text: same.text.slice(last.text.length) }, ...rest];
  }
  return rest.length === 0 && last.text.startsWith(same.text) ? [] : undefined;
}

/** Plain texts that follow one another are one. */
function joined(parts: readonly Part[]): readonly Part[] {
  const result: Part[] = [];
  for (const part of parts) {
    const before = result.at(-1);
    if (before !== undefined && isPlain(before) && isPlain(part)) {
      result[result.length - 1] = { ...before, text: before.text + part.text };
    } else result.push(part);
  }
  return result;
}

function isPlain(part: Part): part is Part & { readonly text: string } {
  return 'text' in part && part.filename === undefined && part.metadata === undefined;
}

function isEqual(one: Part, other: Part): boolean {
  return keyOf(one) === keyOf(other);
}

function keyOf(part: Part): string {
  const { mediaType: _type, ...rest } = part;
  const content =
    'bytes' in rest ? { ...rest, bytes: Buffer.from(rest.bytes).toString('base64') } : rest;
  return new TextDecoder().decode(writeJson(content));
}
