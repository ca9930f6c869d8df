// Owns what `send` shows of what an agent says: events, output, and a warning of what is not signed.

import type { JsonValue } from '../../src/codec/index.ts';
import type { ArtifactItem } from '../../src/client/index.ts';
import type { CommandContext } from '../kit/command.ts';
import { prettyJson } from '../kit/pretty-json.ts';

export function showEvent(
  ct: string,
  payload: JsonValue,
  words: string | undefined,
  { terminal }: CommandContext,
): void {
  if (terminal.isJson) terminal.json({ event: 'evt', ct, payload });
  else terminal.note(terminal.style('dim', words ?? ct));
}

export function warnUnproven(isProven: boolean, { terminal }: CommandContext): void {
  if (isProven) return;
  terminal.note(terminal.style('yellow', 'this answer is not signed: anybody could have sent it'));
}

export function printArtifact({ source }: ArtifactItem, { terminal }: CommandContext): void {
  const { text, data, name, media_type: mediaType } = source;
  if (typeof text === 'string') {
    terminal.printText(text);
    return;
  }
  if (typeof data !== 'string') {
    terminal.printText(prettyJson(source));
    return;
  }
  const label = typeof name === 'string' ? name : 'output';
  const type = typeof mediaType === 'string' ? mediaType : 'no type';
  terminal.print(`${label} (${type}, base64url): ${data}`);
}
