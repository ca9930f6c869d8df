// Owns what stands in the audit log: one entry a message, with hashes in the place of what was said.
// SPEC.md section 10 (#audit).

import { decodeBase64url, encodeBase64url } from '../codec/base64url.ts';
import { writeJcs } from '../codec/canonical-jcs.ts';
import { writePythonJson } from '../codec/canonical-python.ts';
import { readJson } from '../codec/json/read.ts';
import { decodeUtf8 } from '../codec/utf8.ts';
import type { JsonObject, JsonValue } from '../codec/value.ts';
import { equalBytes } from '../crypto/bytes.ts';
import { malformed, requireObject, requireText, requireTimestamp } from '../envelope/fields.ts';
import type { SecurityMode } from '../envelope/types.ts';
import type { ErrorCode } from '../errors.ts';
import { SdlError } from '../errors.ts';
import { requireCount, requireMembers } from '../security/identity/document-fields.ts';
import { SECURITY_MODES } from '../security/message/mode.ts';
import type { Sha256 } from './merkle.ts';
import { HASH_BYTES } from './merkle.ts';

/** How a request ended: with an answer, or refused by this code. */
export type Verdict = 'ok' | ErrorCode;

/** A message that came in; written before its handler runs. Only a request is answered. */
export interface ReceivedEntry {
  readonly kind: 'request' | 'event';
  /** The envelope's `id`. */
  readonly id: string;
  /** The sender's agent id. */
  readonly from: string;
  readonly ct: string;
  readonly mode: SecurityMode;
  /** The {@link auditHash} of its signing input; of the whole message if it is not signed. */
  readonly req: string;
  /** The key that signed it. */
  readonly kid?: string;
  /** Such as `http`. */
  readonly transport: string;
}

/** The `res` to a request. */
export interface ReplyEntry {
  readonly kind: 'reply';
  /** The reply's own `id`. */
  readonly id: string;
  /** The `id` of the request. */
  readonly re: string;
  /** As in the entry of the request. */
  readonly req: string;
  /** The {@link payloadHash} of the reply. */
  readonly res: string;
  readonly verdict: Verdict;
  /** Where the entry of the request stands. */
  readonly of: number;
}

/** A call that came by another dialect than the envelope's; written before it is done. */
export interface OperationEntry {
  readonly kind: 'operation';
  /** Made for the entry. */
  readonly id: string;
  /** The caller's principal id. */
  readonly from: string;
  /** The dialect. */
  readonly face: string;
  /** Such as `start`. */
  readonly operation: string;
  /** The task that it names. */
  readonly task?: string;
  /** `ok` when it was let in, and what became of it stands with the task; else the code, or one of the dialect. */
  readonly verdict: string;
  /** The content hash of the evidence that is kept of it: `sha256:` and hexadecimal digits. */
  readonly evidence?: string;
  /** The SHA-256 of the bytes that it came in, in hexadecimal digits. */
  readonly raw?: string;
}

export type NewAuditEntry = ReceivedEntry | ReplyEntry | OperationEntry;

/** An entry as it is kept; where it stands is its number. */
export type AuditEntry = NewAuditEntry & { readonly ts: string };

/** The request or event that an entry is on. */
export function idOf(entry: NewAuditEntry): string {
  return entry.kind === 'reply' ? entry.re : entry.id;
}

/** Its id was made for it: nobody else chose it. */
export function hasOwnId({ kind }: NewAuditEntry): boolean {
  return kind === 'operation';
}

/** SHA-256 in base64url. */
export function auditHash(bytes: Uint8Array, sha256: Sha256): string {
  return encodeBase64url(sha256(bytes));
}

/** Over the JCS form, or over the Python form of a payload with a number that JCS cannot write. */
export function payloadHash(payload: JsonValue, sha256: Sha256): string {
  return encodeBase64url(payloadDigest(payload, sha256));
}

export function payloadDigest(payload: JsonValue, sha256: Sha256): Uint8Array {
  return sha256(canonicalBytes(payload));
}

/** The text of one leaf, in its JCS form. Throws ENVELOPE_INVALID for an entry that its reader would refuse. */
export function writeEntry(entry: NewAuditEntry, ts: string): string {
  const document = documentOf(entry, ts);
  if (ts !== checkedTs) requireTimestamp(ts, '/ts');
  checkedTs = ts;
  requireText(entry.id, MAX_ID_LENGTH, '/id');
  kindOf(entry.kind, '').check(document as JsonObject, '');
  // The members are in their order, and this writes texts and counts as JCS does, but for half of a surrogate pair.
  const text = JSON.stringify(document);
  return text.includes(SURROGATE) ? decodeUtf8(writeJcs(JSON.parse(text) as JsonObject)) : text;
}

/** How the escape of a lone surrogate begins. */
const SURROGATE = String.raw`\ud`;

/** Entries of one moment have the same. */
let checkedTs: string | undefined;

type MaybeMembers = Readonly<Record<string, string | number | undefined>>;

/** Member by member, in the order of JCS: nothing else gets into the log. What is undefined is not written. */
function documentOf(entry: NewAuditEntry, ts: string): MaybeMembers {
  if (entry.kind === 'reply') {
    const { id, kind, of, re, req, res, verdict } = entry;
    return { id, kind, of, re, req, res, ts, verdict };
  }
  if (entry.kind === 'operation') {
    const { evidence, face, from, id, kind, operation, raw, task, verdict } = entry;
    return { evidence, face, from, id, kind, operation, raw, task, ts, verdict };
  }
  const { ct, from, id, kid, kind, mode, req, transport } = entry;
  return { ct, from, id, kid, kind, mode, req, transport, ts };
}

/** Throws for bytes that no {@link writeEntry} gives. */
export function decodeEntry(bytes: Uint8Array): AuditEntry {
  const document = readJson(bytes);
  const entry = readEntry(document, '');
  if (!equalBytes(writeJcs(document), bytes)) throw malformed('', 'is not in its canonical form');
  return entry;
}

const MAX_ID_LENGTH = 256;
const RECEIVED_MEMBERS = ['kind', 'ts', 'id', 'from', 'ct', 'mode', 'req', 'kid', 'transport'];
const REPLY_MEMBERS = ['kind', 'ts', 'id', 're', 'req', 'res', 'verdict', 'of'];
const OPERATION_MEMBERS = [
  'kind',
  'ts',
  'id',
  'from',
  'face',
  'operation',
  'task',
  'verdict',
  'evidence',
  'raw',
];

interface Kind {
  readonly members: readonly string[];
  readonly check: typeof checkReply;
}

/** What each kind of entry is made of, and the check of it. */
const KINDS: Readonly<Record<string, Kind>> = {
  request: { members: RECEIVED_MEMBERS, check: checkReceived },
  event: { members: RECEIVED_MEMBERS, check: checkReceived },
  reply: { members: REPLY_MEMBERS, check: checkReply },
  operation: { members: OPERATION_MEMBERS, check: checkOperation },
};

function kindOf(kind: JsonValue | undefined, path: string): Kind {
  const known = typeof kind === 'string' && Object.hasOwn(KINDS, kind) ? KINDS[kind] : undefined;
  if (known !== undefined) return known;
  throw malformed(`${path}/kind`, `must be one of ${Object.keys(KINDS).join(', ')}`);
}

/** Reads an entry at `path` of a document. */
export function readEntry(value: JsonValue | undefined, path: string): AuditEntry {
  const { kind } = requireObject(value, path);
  const known = kindOf(kind, path);
  const entry = requireMembers(value, known.members, path);
  requireTimestamp(entry['ts'], `${path}/ts`);
  requireText(entry['id'], MAX_ID_LENGTH, `${path}/id`);
  known.check(entry, path);
  return entry as unknown as AuditEntry;
}

function checkOperation(entry: JsonObject, path: string): void {
  requireText(entry['from'], 1_024, `${path}/from`);
  requireText(entry['face'], 64, `${path}/face`);
  requireText(entry['operation'], 64, `${path}/operation`);
  if (entry['task'] !== undefined) requireText(entry['task'], 256, `${path}/task`);
  requireVerdict(entry['verdict'], `${path}/verdict`);
  requireForm(entry['evidence'], EVIDENCE_FORM, `${path}/evidence`);
  requireForm(entry['raw'], RAW_FORM, `${path}/raw`);
}

const EVIDENCE_FORM = /^sha256:[0-9a-f]{64}$/;
const RAW_FORM = /^[0-9a-f]{64}$/;

function requireForm(hash: JsonValue | undefined, form: RegExp, path: string): void {
  if (hash === undefined || (typeof hash === 'string' && form.test(hash))) return;
  throw malformed(path, 'must be a SHA-256 in hexadecimal digits');
}

function checkReceived(entry: JsonObject, path: string): void {
  requireHash(entry['req'], `${path}/req`);
  requireText(entry['from'], 512, `${path}/from`);
  requireText(entry['ct'], 128, `${path}/ct`);
  if (!SECURITY_MODES.includes(entry['mode'] as SecurityMode)) {
    throw malformed(`${path}/mode`, `must be one of ${SECURITY_MODES.join(', ')}`);
  }
  if (entry['kid'] !== undefined) requireText(entry['kid'], 256, `${path}/kid`);
  requireText(entry['transport'], 64, `${path}/transport`);
}

function checkReply(entry: JsonObject, path: string): void {
  requireHash(entry['req'], `${path}/req`);
  requireText(entry['re'], 256, `${path}/re`);
  requireHash(entry['res'], `${path}/res`);
  requireVerdict(entry['verdict'], `${path}/verdict`);
  requireCount(entry['of'], `${path}/of`);
}

/** Codes of later versions too: they change nothing in what an entry or a receipt proves. */
export function requireVerdict(value: JsonValue | undefined, path: string): Verdict {
  if (typeof value === 'string' && /^(ok|[A-Z][A-Z_]{0,63})$/.test(value)) return value as Verdict;
  throw malformed(path, 'must be "ok" or the code of an error');
}

export function requireHash(value: JsonValue | undefined, path: string): Uint8Array {
  const hash = typeof value === 'string' ? decodeBase64url(value) : undefined;
  if (hash?.length === HASH_BYTES) return hash;
  throw malformed(path, 'must be a SHA-256 in base64url');
}

function canonicalBytes(payload: JsonValue): Uint8Array {
  try {
    return writeJcs(payload);
  } catch (thrown) {
    if (thrown instanceof SdlError && thrown.code === 'NUMBER_INEXACT') {
      return writePythonJson(payload);
    }
    throw thrown;
  }
}
