// Owns what must hold after a seed, of the replies and the nonces: one reply a request, one request a nonce, and each
// effect at most once. SPEC.md section 7 (#replay, #replay-retry).

import { expect } from 'vitest';

import type { JsonObject, JsonValue } from '../../../src/codec/value.ts';
import { equalBytes } from '../../../src/crypto/bytes.ts';
import { verifyAuditLog } from '../../../src/audit/index.ts';
import type { Store } from '../../../src/stores/store.ts';
import { signingKeysOf } from '../../../cli/audit/log.ts';
import { crypto } from '../agents/agents.ts';
import type { Told, Verdict } from './exchange.ts';
import { verdictOf } from './exchange.ts';
import type { Evidence, Fate } from './run.ts';

/** Every retry got the same sealed bytes, and no reply is lost. */
export function checkReplies({ fates, wasServerKilled }: Evidence): void {
  for (const { request, exchanges } of fates) {
    const verdicts = exchanges.map(verdictOf);
    const [second, third] = verdicts.slice(-2) as [Verdict, Verdict];
    const what = `${request.name} (${request.kind}): ${verdicts.join(', ')}`;
    if (verdicts.includes('answer')) expect(second, `${what}: a reply is lost`).toBe('answer');
    expect(['answer', 'replayed', 'unknown', 'broken'], what).toContain(second);
    expect(third, what).toBe(second);
    // It only reads, and is run anew.
    const isRead = request.kind === 'watch';
    // Only who was cut off may be told that nobody knows.
    const mayBeUnknown = !isRead && (verdicts.includes('cut') || wasServerKilled);
    if (!mayBeUnknown) expect(second, what).not.toBe('unknown');
    if (!wasServerKilled) {
      expect(verdicts, what).not.toContain('broken');
      expect(verdicts, what).not.toContain('away');
    }
    const kept = exchanges.at(-1)!.reply!;
    for (const [at, { reply }] of exchanges.entries()) {
      const isRetry = at >= exchanges.length - 2;
      const isKept = verdicts[at] === 'answer' || (verdicts[at] === 'broken' && isRetry);
      if (!isKept) continue;
      if (!isRead) expect(equalBytes(reply!.bytes, kept.bytes), `${what}: other bytes`).toBe(true);
      if (!wasServerKilled) expect(isAccident(reply!), `${what}: INTERNAL`).toBe(false);
    }
  }
}

/** Of the requests with one nonce exactly one has it, and only that one had an effect, once. */
export function checkNonces({ fates, notes }: Evidence, taskNames: readonly string[]): void {
  const runs = notes.flatMap(([kind, key]) => (kind === 'run' ? [key!] : []));
  const effects = [...runs, ...taskNames];
  expect(effects, 'an effect happened twice').toHaveLength(new Set(effects).size);
  const byNonce = new Map<string, Fate[]>();
  for (const fate of fates) {
    const { nonce } = fate.request;
    byNonce.set(nonce, [...(byNonce.get(nonce) ?? []), fate]);
  }
  for (const [nonce, group] of byNonce) {
    const owners = group.filter(({ exchanges }) => verdictOf(exchanges.at(-1)!) !== 'replayed');
    expect(
      owners.map(({ request }) => request.name),
      `who has ${nonce}`,
    ).toHaveLength(1);
    for (const fate of group) {
      const { request, exchanges } = fate;
      if (fate === owners[0]) continue;
      const verdicts = exchanges.map(verdictOf);
      expect(verdicts, request.name).not.toContain('answer');
      expect(verdicts, request.name).not.toContain('unknown');
      expect(effects, request.name).not.toContain(request.name);
    }
  }
  for (const { request, exchanges } of fates) {
    const { reply } = exchanges.at(-1)!;
    if (request.kind !== 'run' || reply!.ct !== 'toolresult.v1') continue;
    expect(reply!.payload, request.name).toMatchObject({ ok: true, result: request.name });
    expect(runs, request.name).toContain(request.name);
  }
}

/** The log is whole and holds the entry of every receipt. */
export async function checkAudit({ fates, home }: Evidence, store: Store): Promise<void> {
  const receipts: JsonValue[] = [];
  for (const { reply } of fates.flatMap(({ exchanges }) => exchanges)) {
    if (reply?.receipt !== undefined) receipts.push(reply.receipt);
  }
  const { agent } = home.identities;
  const report = await verifyAuditLog({
    store,
    node: agent.agentId,
    crypto,
    publicKeys: signingKeysOf(agent),
    receipts,
  });
  expect(report.problems).toEqual([]);
}

/** A tool that failed for a reason that its caller is not told. */
function isAccident({ ct, payload }: Told): boolean {
  if (ct !== 'toolresult.v1' || payload['ok'] === true) return false;
  const { error } = payload['result'] as { readonly error: JsonObject };
  return error['code'] === 'INTERNAL';
}

/** What the seeds have come to, so that one can see what was tried. */
export class Totals {
  readonly #counts = new Map<string, number>();

  add({ fates, kills, wasServerKilled }: Evidence): void {
    this.#count('nodes killed at work', kills.early);
    this.#count('nodes killed after it', kills.late);
    this.#count('databases killed', Number(wasServerKilled));
    this.#count('requests', fates.length);
    for (const one of fates.flatMap(({ exchanges }) => exchanges)) {
      this.#count('events', one.events.length);
      this.#count(verdictOf(one), 1);
    }
  }

  get text(): string {
    return [...this.#counts].map(([what, count]) => `${count} ${what}`).join(', ');
  }

  #count(what: string, more: number): void {
    this.#counts.set(what, (this.#counts.get(what) ?? 0) + more);
  }
}
