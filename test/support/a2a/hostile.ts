// Owns requests that are nearly right: what a broken or hostile client may send. All of it follows from a seed.

import type { Ask } from './ask.ts';
import type { RawRequest } from './raw.ts';
import type { OperationName } from '../../../profiles/a2a/operations/inputs.ts';

/** Every operation of A2A. */
export const OPERATIONS: readonly OperationName[] = [
  'send',
  'stream',
  'get',
  'list',
  'cancel',
  'subscribe',
  'createPush',
  'getPush',
  'listPush',
  'deletePush',
  'extendedCard',
];

/** Numbers from 0 to below 1, the same ones for the same seed. */
export type Random = () => number;

export function randomFrom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function oneOf<T>(items: readonly T[], random: Random): T {
  return items[Math.floor(random() * items.length)]!;
}

/** Values as text of JSON, in the place of others. */
const VALUES = [
  'null',
  'true',
  '""',
  '"x"',
  '[]',
  '{}',
  '[null]',
  '0',
  '-1',
  '-0',
  '1.5',
  '1e999',
  '1e-999',
  '2147483648',
  '9007199254740993',
  `1${'0'.repeat(900)}`,
  `1${'0'.repeat(1_100)}`,
  '"\\ud800"',
  '"\\u0000"',
  '"\\u202e\\ufeff"',
  '"QQ="',
  '"%00"',
  '"../.."',
  '"TASK_STATE_UNSPECIFIED"',
  '"ROLE_AGENT"',
  '"constructor"',
  '{"__proto__":{"isAdmin":true}}',
  '{"constructor":{"prototype":{}}}',
  '{"$type":"x","@type":"y"}',
  `"${'x'.repeat(5_000)}"`,
  `${'['.repeat(70)}${']'.repeat(70)}`,
  `${'{"a":'.repeat(70)}1${'}'.repeat(70)}`,
  `[${'0,'.repeat(10_000)}0]`,
  `{${Array.from({ length: 10_001 }, (_, at) => `"m${at}":0`).join(',')}}`,
  '"tasks/x"',
  '"2026-02-30T25:61:61Z"',
  '"h.zzz.zzz"',
];

const MEMBERS = ['__proto__', 'constructor', 'tenant', 'kind', 'file', 'name', 'x'];

/** Where a value, or the name of a member, begins and ends in the text. */
const TOKENS = /"(?:[^"\\]|\\.)*"(?=\s*[,}\]])|-?\d[\d.eE+-]*|true|false|null/g;

/** One thing in the text of JSON is another. */
function hostileText(text: string, random: Random): string {
  const spots = [...text.matchAll(TOKENS)];
  switch (Math.floor(random() * 8)) {
    case 0:
      return text.slice(0, Math.floor(random() * text.length));
    case 1: {
      const at = Math.floor(random() * text.length);
      const char = String.fromCharCode(Math.floor(random() * 256));
      return text.slice(0, at) + char + text.slice(at + 1);
    }
    case 2:
      return text.replace(
        '{',
        `{${JSON.stringify(oneOf(MEMBERS, random))}:${oneOf(VALUES, random)},`,
      );
    case 3:
      // A member twice.
      return text.replace(/\{("[^"]+"):/, (all, name: string) => `{${name}:1,${all.slice(1)}`);
    case 4:
      return `${oneOf(['\ufeff', ' ', '\n', '[', '0,'], random)}${text}${oneOf(['', ' ', '}', '{}'], random)}`;
    case 5: {
      const inner = [...text.matchAll(/"[^"]+":(\{|\[)/g)];
      if (inner.length === 0) return oneOf(VALUES, random);
      const { index } = oneOf(inner, random);
      const colon = text.indexOf(':', index);
      return `${text.slice(0, colon + 1)}${oneOf(VALUES, random)}${'}'.repeat(2)}`;
    }
    default: {
      if (spots.length === 0) return oneOf(VALUES, random);
      const { index, 0: token } = oneOf(spots, random);
      return text.slice(0, index) + oneOf(VALUES, random) + text.slice(index + token.length);
    }
  }
}

const HEADERS: Readonly<Record<string, readonly string[]>> = {
  'a2a-version': [
    '',
    ' ',
    '1.0',
    '0.3',
    '1',
    '1.0.1',
    '0.3.0.0',
    '99.0',
    '-1',
    '1.0, 0.3',
    '1e0',
    'x'.repeat(3_000),
  ],
  accept: [
    '',
    '*/*',
    'text/html',
    'application/json;q=0',
    ';;;,,,',
    'x'.repeat(3_000),
    'application/a2a+json',
  ],
  'content-type': [
    '',
    'text/html',
    'application/json',
    'application/json; charset=utf-7',
    'application/a2a+json',
    '/',
    'multipart/form-data',
  ],
  'last-event-id': [
    '',
    '0',
    '1',
    '-1',
    '1e3',
    '99999999999999999999',
    '0x1',
    ' 1',
    'x',
    '1'.repeat(2_000),
  ],
  'a2a-extensions': [
    '',
    ',,,',
    'urn:x',
    'x'.repeat(3_000),
    Array.from({ length: 500 }, (_, at) => `u:${at}`).join(','),
  ],
  'x-a2a-extensions': ['urn:y'],
  'content-encoding': ['gzip', 'br'],
  range: ['bytes=0-1'],
  expect: ['100-continue'],
};

const SEGMENTS = [
  '',
  '.',
  '..',
  '%',
  '%2',
  '%ff',
  '%00',
  '%2f',
  '%2e%2e',
  'a%2Fb',
  ':',
  ':cancel',
  'x:cancel:subscribe',
  'tasks',
  'v1',
  'message:send',
  '__proto__',
  'constructor',
  '%F0%9F%98%80',
  'x'.repeat(2_000),
  '~none',
  '*',
];

const QUERIES = [
  'pageSize=0',
  'pageSize=101',
  'pageSize=-1',
  'pageSize=1e2',
  'pageSize=',
  'pageSize=5&pageSize=6',
  'pageToken=x',
  'pageToken=h.1.1',
  'pageToken=%00',
  'status=working',
  'status=99',
  'status=__proto__',
  'historyLength=-1',
  'historyLength=2147483648',
  'historyLength=x',
  'includeArtifacts=yes',
  'contextId=%ff',
  'statusTimestampAfter=yesterday',
  'lastUpdatedAfter=1e99',
  'tenant=x',
  'A2A-Version=9',
  'a2a-version=',
  '%%%',
  '&&&=',
];

function hostilePath(path: string, random: Random): string {
  const [base, query = ''] = path.split('?', 2) as [string, string?];
  const segments = base.split('/').slice(1);
  const at = Math.floor(random() * (segments.length + 1));
  const gone = random() < 0.5 ? 1 : 0;
  const changed = random() < 0.5 ? segments : segments.toSpliced(at, gone, oneOf(SEGMENTS, random));
  const more = random() < 0.5 ? [] : [oneOf(QUERIES, random), oneOf(QUERIES, random)];
  const asked = [query, ...more].filter((part) => part !== '').join('&');
  return `/${changed.join('/')}${asked === '' ? '' : `?${asked}`}`;
}

/** One or two things about it are not as they should be. */
export function hostile(right: RawRequest, random: Random): RawRequest {
  let { method, path, body } = right;
  const headers: Record<string, string> = { ...right.headers };
  const ways =
    body === ''
      ? ['header', 'path', 'method', 'body']
      : ['body', 'body', 'body', 'header', 'path', 'method'];
  for (let count = 0; count < (random() < 0.3 ? 2 : 1); count += 1) {
    switch (oneOf(ways, random)) {
      case 'body':
        body = hostileText(body.toString(), random);
        break;
      case 'header': {
        const name = oneOf(Object.keys(HEADERS), random);
        headers[name] = oneOf(HEADERS[name]!, random);
        break;
      }
      case 'path':
        path = hostilePath(path, random);
        break;
      default:
        method = oneOf(
          ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE'],
          random,
        );
    }
  }
  return { method, path, headers, body };
}

/** A request as a cell makes it, ready to be changed. */
export function rawOf(url: string, ask: Ask): RawRequest {
  const { pathname, search } = new URL(url);
  const { method = 'GET', headers = {}, body = '' } = ask;
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return {
    method,
    path: `${pathname}${search}`,
    headers,
    body: text,
  };
}
