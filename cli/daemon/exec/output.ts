// Owns what the lines of a command's output mean: a few JSON objects are reports, everything else is text.

import type { JsonObject, JsonValue } from '../../../src/codec/index.ts';
import { LosslessNumber, isJsonObject, readJson } from '../../../src/codec/index.ts';
import { SdlError } from '../../../src/errors.ts';
import type { ArtifactInput, TaskProgress } from '../../../src/internal.ts';

/** What a command said. */
export type ExecReport =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'progress'; readonly progress: TaskProgress }
  | { readonly type: 'artifact'; readonly artifact: ArtifactInput }
  | { readonly type: 'error'; readonly message: string };

/** A longer line is text, whatever it says: nothing of that size is held back. */
const MAX_REPORT_LENGTH = 1_048_576;

/**
 * Reads output piece by piece. A line is a report when it is an object `{"progress": text, "fraction"?: 0–1}`,
 * `{"artifact": {"name", "text" | "data" | "json", "media_type"?}}` with `data` in base64, or `{"error": text}`.
 */
export class ExecOutput {
  readonly #decoder = new TextDecoder();
  /** The start of a line that may become a report. */
  #held = '';
  #isInText = false;

  read(bytes: Uint8Array): ExecReport[] {
    return this.#take(this.#decoder.decode(bytes, { stream: true }));
  }

  /** What was held back when the output ends. */
  end(): ExecReport[] {
    const reports = this.#take(this.#decoder.decode());
    if (this.#held === '') return reports;
    const last = reportOf(this.#held) ?? { type: 'text', text: this.#held };
    this.#held = '';
    return [...reports, last];
  }

  #take(piece: string): ExecReport[] {
    const reports: ExecReport[] = [];
    let text = '';
    const flush = (): void => {
      if (text !== '') reports.push({ type: 'text', text });
      text = '';
    };
    for (let at = 0; at < piece.length;) {
      const newline = piece.indexOf('\n', at);
      const end = newline < 0 ? piece.length : newline + 1;
      const part = piece.slice(at, end);
      at = end;
      if (!this.#isInText && this.#held === '' && !part.startsWith('{')) this.#isInText = true;
      if (this.#isInText) {
        text += part;
        this.#isInText = newline < 0;
        continue;
      }
      this.#held += part;
      if (newline < 0 && this.#held.length <= MAX_REPORT_LENGTH) break;
      const report = newline < 0 ? undefined : reportOf(this.#held);
      if (report === undefined) text += this.#held;
      else {
        flush();
        reports.push(report);
      }
      this.#isInText = newline < 0;
      this.#held = '';
    }
    flush();
    return reports;
  }
}

function reportOf(line: string): ExecReport | undefined {
  const value = objectIn(line);
  if (value === undefined) return undefined;
  const { progress, fraction, artifact, error } = value;
  const names = Object.keys(value).length;
  if (typeof progress === 'string' && names === (fraction === undefined ? 1 : 2)) {
    return progressOf(progress, fraction);
  }
  if (isJsonObject(artifact) && names === 1) return artifactOf(artifact);
  if (typeof error === 'string' && names === 1) return { type: 'error', message: error };
  return undefined;
}

function objectIn(line: string): JsonObject | undefined {
  try {
    const value = readJson(new TextEncoder().encode(line));
    return isJsonObject(value) ? value : undefined;
  } catch (error) {
    if (error instanceof SdlError) return undefined;
    throw error;
  }
}

function progressOf(message: string, fraction: JsonValue | undefined): ExecReport | undefined {
  if (fraction === undefined) return { type: 'progress', progress: { message } };
  const part = fraction instanceof LosslessNumber ? fraction.toNumber() : fraction;
  if (typeof part !== 'number' || !(part >= 0 && part <= 1)) return undefined;
  return { type: 'progress', progress: { message, fraction: part } };
}

function artifactOf(members: JsonObject): ExecReport | undefined {
  const { name, text, data, json, media_type: mediaType } = members;
  if (typeof name !== 'string') return undefined;
  if (mediaType !== undefined && typeof mediaType !== 'string') return undefined;
  const content = contentOf(text, data, json);
  if (content === undefined) return undefined;
  return {
    type: 'artifact',
    artifact: { name, ...content, ...(mediaType !== undefined && { mediaType }) },
  };
}

function contentOf(
  text: JsonValue | undefined,
  data: JsonValue | undefined,
  json: JsonValue | undefined,
):
  | { readonly text: string }
  | { readonly bytes: Uint8Array }
  | { readonly json: JsonValue }
  | undefined {
  if ([text, data, json].filter((value) => value !== undefined).length !== 1) return undefined;
  if (typeof text === 'string') return { text };
  if (json !== undefined) return { json };
  if (typeof data !== 'string' || !/^[\w+/-]*={0,2}$/.test(data)) return undefined;
  return { bytes: new Uint8Array(Buffer.from(data, 'base64')) };
}
