// Owns how a text that is too long for its place is shortened.

/** At most so many characters; an ellipsis stands for the rest. */
export function cut(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, Math.max(0, length - 1))}…`;
}
