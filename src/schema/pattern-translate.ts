// Owns the translation of an ECMA-262 pattern (`u` flag) into the engine's syntax, and what it may cost. SPEC.md section 5.2 (#patterns).

import { SdlError } from '../errors.ts';
import type { CharacterSet } from './pattern-classes.ts';
import {
  CLASS_ESCAPES,
  EVERYTHING,
  NOT_LINE_TERMINATOR,
  codePointText,
  propertySet,
  rangeSet,
} from './pattern-classes.ts';

const MAX_SOURCE = 1_024;
const MAX_DEPTH = 64;
/** Of one repetition, and of nested ones multiplied: the engine's own limit. */
const MAX_COUNT = 1_000;
const MAX_SIZE = 10_000;
/** Character ranges over all instructions. The engine visits each of them when it compiles. */
const MAX_RANGES = 800_000;
const MAX_PROPERTIES = 32;

/** A piece of pattern in the engine's syntax. */
interface Translation {
  readonly text: string;
  /** Upper bound of the instructions it compiles to. */
  readonly size: number;
  /** Upper bound of the character ranges of those instructions. */
  readonly ranges: number;
  /** The largest product of nested repetition counts. */
  readonly copies: number;
  /** Instructions that take no character; Infinity as soon as there is more than one way through. */
  readonly idle: number;
}

/** A whole pattern in the engine's syntax, with what decides its price. */
export interface TranslatedPattern {
  readonly text: string;
  readonly size: number;
  readonly ranges: number;
  /** Unicode properties in the source. */
  readonly properties: number;
  /** Upper bound of the instructions that a search stands at between two characters. */
  readonly threads: number;
}

/** Translates a whole pattern. Only whether it matches is kept: groups do not capture, nothing is lazy. */
export function translatePattern(source: string): TranslatedPattern {
  if (source.length > MAX_SOURCE) {
    throw new SdlError('SCHEMA_UNSUPPORTED', `pattern is longer than ${MAX_SOURCE} characters`, {
      details: { limit: MAX_SOURCE },
    });
  }
  return new Translator(source).pattern();
}

const SYNTAX_CHARACTERS = '^$\\.*+?()[]{}|/';
const CONTROL_ESCAPES: ReadonlyMap<string, number> = new Map([
  ['t', 0x09],
  ['n', 0x0a],
  ['v', 0x0b],
  ['f', 0x0c],
  ['r', 0x0d],
]);
const GROUP_NAME = /^[$_\p{ID_Start}][$\u200c\u200d\p{ID_Continue}]*$/u;

/** Recursive descent over the source. Depth is limited, so the call stack is too. */
class Translator {
  readonly #source: string;
  readonly #groupNames = new Set<string>();
  #at = 0;
  #depth = 0;
  #properties = 0;

  constructor(source: string) {
    this.#source = source;
  }

  pattern(): TranslatedPattern {
    const whole = this.#disjunction();
    if (this.#at < this.#source.length) this.#fail('a ")" that closes nothing');
    // The engine adds one instruction that fails and one that matches.
    const { text, size, ranges } = this.#affordable({ ...whole, size: whole.size + 2 }, 0);
    // With one start and only one way through, a search can stand only at a character, the match and the next start.
    const threads = this.#source.startsWith('^') ? Math.min(size, whole.idle + 3) : size;
    return { text, size, ranges, properties: this.#properties, threads };
  }

  #disjunction(): Translation {
    let all = this.#alternative();
    while (this.#accept('|')) {
      const next = this.#alternative();
      all = {
        ...join(all, next),
        text: `${all.text}|${next.text}`,
        size: all.size + next.size + 1,
        idle: Infinity,
      };
    }
    return all;
  }

  #alternative(): Translation {
    let all: Translation | undefined;
    while (this.#at < this.#source.length && !'|)'.includes(this.#peek())) {
      const term = this.#term();
      all = all === undefined ? term : join(all, term);
    }
    return all ?? idle('', 0);
  }

  #term(): Translation {
    const start = this.#at;
    const character = this.#next();
    switch (character) {
      case '^':
        return idle('\\A', 0);
      case '$':
        return idle('\\z', 0);
      case '(':
        return this.#quantified(this.#group(start), start);
      case '[':
        return this.#quantified(this.#class(start), start);
      case '.':
        return this.#quantified(bracket(NOT_LINE_TERMINATOR), start);
      case '\\':
        if (this.#accept('b')) return idle('\\b', 4);
        if (this.#accept('B')) return idle('\\B', 4);
        return this.#quantified(this.#atomEscape(start), start);
      case '*':
      case '+':
      case '?':
      case '{':
        return this.#fail('a quantifier with nothing to repeat', start);
      case '}':
      case ']':
        return this.#fail(`an unescaped "${character}"`, start);
      default:
        return this.#quantified(literal(character.codePointAt(0) ?? 0), start);
    }
  }

  #group(start: number): Translation {
    this.#depth += 1;
    if (this.#depth > MAX_DEPTH) this.#fail(`more than ${MAX_DEPTH} nested groups`, start);
    if (this.#accept('?')) this.#groupKind(start);
    const inner = this.#disjunction();
    if (!this.#accept(')')) this.#fail('an unclosed "("', start);
    this.#depth -= 1;
    return { ...inner, text: `(?:${inner.text})` };
  }

  #groupKind(start: number): void {
    if (this.#accept(':')) return;
    if (this.#accept('=') || this.#accept('!')) this.#fail('a look-ahead', start);
    if (!this.#accept('<')) this.#fail('an unknown kind of group', start);
    if (this.#accept('=') || this.#accept('!')) this.#fail('a look-behind', start);
    let name = '';
    while (!this.#accept('>')) {
      if (this.#at >= this.#source.length) this.#fail('an unclosed group name', start);
      const at = this.#at;
      const character = this.#next();
      if (character !== '\\') name += character;
      else if (this.#accept('u')) name += String.fromCodePoint(this.#unicodeEscape(at));
      else this.#fail('an invalid group name', start);
    }
    if (!GROUP_NAME.test(name)) this.#fail('an invalid group name', start);
    if (this.#groupNames.has(name)) this.#fail('a group name twice', start);
    this.#groupNames.add(name);
  }

  #quantified(atom: Translation, start: number): Translation {
    const at = this.#at;
    const counts = this.#quantifier();
    if (counts === undefined) return atom;
    this.#accept('?');
    const [min, max] = counts;
    if (min > max) this.#fail('a quantifier out of order', at);
    const copies = max === Infinity ? Math.max(min, 1) : max;
    if (copies > MAX_COUNT) this.#fail(`a repetition of more than ${MAX_COUNT}`, at);
    if (copies === 0) return idle('(?:)', 0);
    if (copies * atom.copies > MAX_COUNT) {
      this.#fail(`nested repetitions of more than ${MAX_COUNT} together`, at);
    }
    const loops = max === Infinity ? 2 : max - min;
    return this.#affordable(
      {
        text: atom.text + quantifierText(min, max),
        size: atom.size * copies + loops,
        ranges: atom.ranges * copies,
        copies: atom.copies * copies,
        idle: min === max ? atom.idle * copies : Infinity,
      },
      start,
    );
  }

  #quantifier(): readonly [min: number, max: number] | undefined {
    if (this.#accept('*')) return [0, Infinity];
    if (this.#accept('+')) return [1, Infinity];
    if (this.#accept('?')) return [0, 1];
    if (this.#peek() !== '{') return undefined;
    const match = this.#match(/\{([0-9]+)(?:(,)([0-9]*))?\}/y);
    if (match === null) this.#fail('an incomplete quantifier');
    const min = Number(match[1]);
    if (match[2] === undefined) return [min, min];
    // A number of 400 digits is Infinity to JavaScript, but it is a count, not an open end.
    return [min, match[3] === '' ? Infinity : Math.min(Number(match[3]), Number.MAX_SAFE_INTEGER)];
  }

  #class(start: number): Translation {
    const negated = this.#accept('^');
    let text = '';
    let ranges = 1;
    while (!this.#accept(']')) {
      if (this.#at >= this.#source.length) this.#fail('an unclosed "["', start);
      const item = this.#classItem();
      text += item.text;
      ranges += item.ranges;
    }
    // The engine has no empty brackets, so the empty set is written as the complement of all characters.
    if (text === '') return single(`[${negated ? '' : '^'}${EVERYTHING.text}]`, 1);
    return single(`[${negated ? '^' : ''}${text}]`, ranges);
  }

  /** One character, one range or one set. */
  #classItem(): CharacterSet {
    const start = this.#at;
    const first = this.#classAtom();
    const isRange = this.#peek() === '-' && !['', ']'].includes(this.#peek(1));
    if (!isRange) return typeof first === 'number' ? rangeSet(first, first) : first;
    this.#at += 1;
    const last = this.#classAtom();
    if (typeof first !== 'number' || typeof last !== 'number') {
      return this.#fail('a range that starts or ends in a set', start);
    }
    if (first > last) this.#fail('a range out of order', start);
    return rangeSet(first, last);
  }

  #classAtom(): number | CharacterSet {
    const start = this.#at;
    const character = this.#next();
    if (character !== '\\') return character.codePointAt(0) ?? 0;
    if (this.#accept('b')) return 0x08;
    if (this.#accept('-')) return 0x2d;
    if (/[1-9]/.test(this.#peek())) this.#fail('an octal escape', start);
    return this.#setEscape(start) ?? this.#characterEscape(start);
  }

  #atomEscape(start: number): Translation {
    if (/[1-9k]/.test(this.#peek())) this.#fail('a back-reference', start);
    const set = this.#setEscape(start);
    return set === undefined ? literal(this.#characterEscape(start)) : bracket(set);
  }

  /** Behind a backslash: `d D w W s S p P`, or nothing is taken. */
  #setEscape(start: number): CharacterSet | undefined {
    const kind = this.#peek();
    const set = CLASS_ESCAPES.get(kind);
    if (set !== undefined) this.#at += 1;
    if (kind !== 'p' && kind !== 'P') return set;
    this.#properties += 1;
    if (this.#properties > MAX_PROPERTIES) {
      this.#fail(`more than ${MAX_PROPERTIES} Unicode properties`, start);
    }
    const match = this.#match(/[pP]\{([A-Za-z0-9_=]*)\}/y);
    if (match === null) this.#fail('an incomplete Unicode property', start);
    const property = propertySet(match[1] ?? '', kind === 'P');
    return property ?? this.#fail('an unsupported Unicode property', start);
  }

  /** Behind a backslash: the one code point the escape stands for. */
  #characterEscape(start: number): number {
    if (this.#at >= this.#source.length) this.#fail('a "\\" at its end', start);
    const character = this.#next();
    const control = CONTROL_ESCAPES.get(character);
    if (control !== undefined) return control;
    if (SYNTAX_CHARACTERS.includes(character)) return character.charCodeAt(0);
    switch (character) {
      case '0':
        if (/[0-9]/.test(this.#peek())) this.#fail('an octal escape', start);
        return 0;
      case 'c': {
        const letter = this.#match(/[A-Za-z]/y);
        if (letter === null) this.#fail('an incomplete control escape', start);
        return letter[0].charCodeAt(0) % 32;
      }
      case 'x': {
        const digits = this.#match(/[0-9A-Fa-f]{2}/y);
        if (digits === null) this.#fail('an incomplete "\\x" escape', start);
        return Number.parseInt(digits[0], 16);
      }
      case 'u':
        return this.#unicodeEscape(start);
      default:
        return this.#fail('an unknown escape', start);
    }
  }

  /** Behind `\u`: `{…}`, four digits, or four digits twice that are the halves of one code point. */
  #unicodeEscape(start: number): number {
    const braced = this.#match(/\{([0-9A-Fa-f]+)\}/y);
    const match = braced ?? this.#match(/([0-9A-Fa-f]{4})/y);
    if (match === null) this.#fail('an incomplete "\\u" escape', start);
    const codePoint = Number.parseInt(match[1] ?? '', 16);
    if (codePoint > 0x10ffff) this.#fail('a code point beyond Unicode', start);
    if (braced !== null || codePoint < 0xd800 || codePoint > 0xdbff) return codePoint;
    const low = this.#match(/\\u([Dd][C-Fc-f][0-9A-Fa-f]{2})/y);
    if (low === null) return codePoint;
    return 0x10000 + (codePoint - 0xd800) * 0x400 + Number.parseInt(low[1] ?? '', 16) - 0xdc00;
  }

  #affordable(part: Translation, at: number): Translation {
    if (part.size > MAX_SIZE) this.#fail(`more than ${MAX_SIZE} instructions`, at);
    if (part.ranges > MAX_RANGES) this.#fail(`more than ${MAX_RANGES} character ranges`, at);
    return part;
  }

  #peek(ahead = 0): string {
    return this.#source.charAt(this.#at + ahead);
  }

  /** The next whole code point; the caller knows that there is one. */
  #next(): string {
    const character = String.fromCodePoint(this.#source.codePointAt(this.#at) ?? 0);
    this.#at += character.length;
    return character;
  }

  #accept(character: string): boolean {
    if (this.#peek() !== character) return false;
    this.#at += 1;
    return true;
  }

  /** Takes a token of the source. The expression must be sticky. */
  #match(token: RegExp): RegExpExecArray | null {
    token.lastIndex = this.#at;
    const match = token.exec(this.#source);
    if (match !== null) this.#at = token.lastIndex;
    return match;
  }

  #fail(what: string, at: number = this.#at): never {
    throw new SdlError('SCHEMA_UNSUPPORTED', `pattern has ${what} at character ${at}`, {
      details: { at },
    });
  }
}

function single(text: string, ranges: number): Translation {
  return { text, size: 1, ranges, copies: 1, idle: 0 };
}

/** An instruction that takes no character. */
function idle(text: string, ranges: number): Translation {
  return { ...single(text, ranges), idle: 1 };
}

function literal(codePoint: number): Translation {
  return single(codePointText(codePoint), 1);
}

function bracket(set: CharacterSet): Translation {
  return single(`[${set.text}]`, set.ranges);
}

function join(first: Translation, second: Translation): Translation {
  return {
    text: first.text + second.text,
    size: first.size + second.size,
    ranges: first.ranges + second.ranges,
    copies: Math.max(first.copies, second.copies),
    idle: first.idle + second.idle,
  };
}

function quantifierText(min: number, max: number): string {
  if (max === Infinity) return min === 0 ? '*' : min === 1 ? '+' : `{${min},}`;
  if (max === 1) return min === 0 ? '?' : '';
  return min === max ? `{${min}}` : `{${min},${max}}`;
}
