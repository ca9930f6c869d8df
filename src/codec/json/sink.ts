// Owns the bytes of JSON text while it is written: quoting and escapes. SPEC.md section 4.2 (#json-write).

import { ByteSink, SHORT_TEXT } from '../byte-sink.ts';
import type { Path } from '../pointer.ts';
import { assertWellFormed } from '../unwritable.ts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const NEEDS_CARE = /["\\\u0000-\u001f\ud800-\udfff]/;

export class JsonSink extends ByteSink {
  /** Text that is ASCII and needs no escapes: numbers and words. */
  ascii(text: string): void {
    this.reserve(text.length);
    for (let index = 0; index < text.length; index += 1) {
      this.bytes[this.at++] = text.charCodeAt(index);
    }
  }

  /** A string, quoted. The escapes of JSON.stringify are those of RFC 8785 and of Python's `ensure_ascii=False`. */
  quoted(text: string, path: Path): void {
    if (this.#shortQuoted(text)) return;
    if (NEEDS_CARE.test(text)) {
      assertWellFormed(text, path);
      this.utf8(JSON.stringify(text));
      return;
    }
    this.byte(QUOTE);
    this.utf8(text);
    this.byte(QUOTE);
  }

  /** Writes short ASCII text without escapes and answers true; writes nothing and answers false for any other. */
  #shortQuoted(text: string): boolean {
    const length = text.length;
    if (length > SHORT_TEXT) return false;
    this.reserve(length + 2);
    const { bytes } = this;
    let { at } = this;
    bytes[at++] = QUOTE;
    for (let index = 0; index < length; index += 1) {
      const unit = text.charCodeAt(index);
      if (unit < 0x20 || unit > 0x7f || unit === QUOTE || unit === BACKSLASH) return false;
      bytes[at++] = unit;
    }
    bytes[at++] = QUOTE;
    this.at = at;
    return true;
  }
}
