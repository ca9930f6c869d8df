// Owns how the text of `--exec` becomes a program and its arguments: words and quotes, nothing of a shell.

export interface ExecCommand {
  readonly file: string;
  readonly args: readonly string[];
}

type Quote = '"' | "'";

/** What a backslash keeps from having its meaning, outside quotes and inside double ones. */
const ESCAPABLE_IN_QUOTES = new Set(['"', '\\']);

/**
 * Splits at white space. `'…'` is taken as it is; in `"…"` a backslash stands before `"` and `\`; elsewhere it stands
 * before any character. Who wants pipes or variables writes `sh -c '…'`. Throws a TypeError for what has no end.
 */
export function parseCommand(command: string): ExecCommand {
  if (command.includes('\0')) throw new TypeError('"command" expected text without U+0000');
  const words: string[] = [];
  let word: string | undefined;
  let quote: Quote | undefined;
  for (let at = 0; at < command.length; at += 1) {
    const character = command.charAt(at);
    if (character === quote) quote = undefined;
    else if (character === '\\' && isEscape(command[at + 1], quote)) {
      at += 1;
      if (at === command.length) throw new TypeError('"command" ends with a lone backslash');
      word = (word ?? '') + command.charAt(at);
    } else if (quote !== undefined) word = (word ?? '') + character;
    else if (character === '"' || character === "'") {
      quote = character;
      word ??= '';
    } else if (/\s/u.test(character)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else word = (word ?? '') + character;
  }
  if (quote !== undefined) throw new TypeError(`"command" has a ${quote} without its end`);
  if (word !== undefined) words.push(word);
  const [file, ...args] = words;
  if (file === undefined || file === '') throw new TypeError('"command" expected a program to run');
  return { file, args };
}

function isEscape(next: string | undefined, quote: Quote | undefined): boolean {
  if (quote === undefined) return true;
  return quote === '"' && next !== undefined && ESCAPABLE_IN_QUOTES.has(next);
}
