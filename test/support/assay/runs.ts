// Runs of evidence in folders of their own, and what stands in their files.

import { readFileSync } from 'node:fs';
import { Readable } from 'node:stream';

import type { EvidenceOptions, EvidenceSink, RunReport } from '../../../profiles/assay/index.ts';
import { checkRun, evidence } from '../../../profiles/assay/index.ts';
import { logNames } from '../../../src/audit/index.ts';
import type { OperationEntry } from '../../../src/audit/index.ts';
import { decodeEntry } from '../../../src/audit/entry.ts';
import { sha256 } from '../../../src/crypto/sha256.ts';
import type { Store } from '../../../src/stores/store.ts';
import { newFolder } from '../agents/cli.ts';

export function newRun(options: Partial<EvidenceOptions> = {}): EvidenceSink {
  return evidence({ directory: newFolder(), ...options });
}

/** A record as far as tests look into it. */
export interface RunRecord {
  readonly type: string;
  readonly subject: string;
  readonly time: string;
  readonly id: string;
  readonly source: string;
  readonly assayseq: number;
  readonly assayproducer: string;
  readonly assaycontenthash: string;
  readonly data: {
    readonly agent: { readonly id: string };
    readonly task?: { readonly id: string; readonly status?: string; readonly kind?: string };
    readonly artifact?: Readonly<Record<string, string>>;
    readonly message?: { readonly id: string; readonly role: string };
    readonly attributes: {
      readonly source: Readonly<Record<string, string>>;
      readonly raw?: { readonly sha256: string };
      readonly peer?: string;
      readonly generation?: number;
    };
    readonly handoff: Readonly<Record<string, unknown>>;
    readonly unmapped_fields_count: number;
  };
}

export function recordsOf(path: string): RunRecord[] {
  return linesOf(path).map((line) => JSON.parse(line) as RunRecord);
}

export function linesOf(path: string): string[] {
  return readFileSync(path, 'utf8').split('\n').slice(0, -1);
}

/** The kind of event, and the status or the artifact that it tells of. */
export function shortOf({ type, data }: RunRecord): string {
  const kind = type.replace('assay.adapter.a2a.', '');
  const what = data.artifact?.['name'] ?? data.task?.status;
  return what === undefined ? kind : `${kind} ${what}`;
}

export function checkText(text: string, limits = {}): Promise<RunReport> {
  return checkRun(Readable.from([Buffer.from(text)]), limits);
}

export function checkFile(path: string): Promise<RunReport> {
  return checkText(readFileSync(path, 'utf8'));
}

/** The entries of operations in an audit log. */
export async function operationsIn(store: Store, node: string): Promise<OperationEntry[]> {
  const { entries } = logNames(node, sha256);
  const page = await store.read(entries, 0, 1_000);
  return page
    .map(({ value }) => decodeEntry(value))
    .filter((entry): entry is OperationEntry & { ts: string } => entry.kind === 'operation');
}
