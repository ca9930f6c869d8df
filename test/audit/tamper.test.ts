// A log that somebody edits: a real SQLite file, changed behind the back of the node, with everything but its key.

import { join } from 'node:path';

import { describe, expect, test } from 'vitest';

import type { AuditReport, AuditWitnesses } from '../../src/audit/index.ts';
import { verifyAuditLog } from '../../src/audit/index.ts';
import { createMemoryStore } from '../../src/stores/memory.ts';
import { prepareColumn } from '../../stores/sqlite/connection.ts';
import type { Connection } from '../../stores/sqlite/driver.ts';
import { openSqliteStore } from '../../stores/sqlite/index.ts';
import {
  NODE,
  crypto,
  exchange,
  keys,
  openLog,
  requestEntry,
  requestHash,
} from '../support/trust/audit.ts';
import { textOf } from '../support/wire/bytes.ts';
import { driver, temporaryFolder } from '../support/stores/sqlite.ts';

const ENTRIES = `audit:${NODE}`;
const HEADS = `audit-heads:${NODE}`;
const TREE = `audit-tree-8:${NODE}`;

/** A log in an open file, edited by position. */
class EditedLog {
  readonly #db: Connection;
  readonly #id: number;

  constructor(db: Connection, name: string) {
    this.#db = db;
    const ids = prepareColumn<number>(db, 'SELECT id FROM logs WHERE name = ?');
    this.#id = ids.first(Buffer.from(name))!;
  }

  get(position: number): string {
    const values = prepareColumn<Uint8Array>(
      this.#db,
      'SELECT value FROM records WHERE log = ? AND position = ?',
    );
    return textOf(values.first(this.#id, position)!);
  }

  set(position: number, value: string | Uint8Array): void {
    const bytes = Buffer.from(value);
    this.#db
      .prepare('UPDATE records SET value = ? WHERE log = ? AND position = ?')
      .run(bytes, this.#id, position);
  }

  add(position: number, value: string): void {
    this.#db
      .prepare('INSERT INTO records (log, position, value) VALUES (?, ?, ?)')
      .run(this.#id, position, Buffer.from(value));
    this.setLength(position + 1);
  }

  removeFrom(position: number, to = Number.MAX_SAFE_INTEGER): void {
    this.#db
      .prepare('DELETE FROM records WHERE log = ? AND position >= ? AND position < ?')
      .run(this.#id, position, to);
  }

  setLength(length: number): void {
    this.#db.prepare('UPDATE logs SET length = ? WHERE id = ?').run(length, this.#id);
  }

  cut(length: number): void {
    this.removeFrom(length);
    this.setLength(length);
  }

  drop(): void {
    this.#db.prepare('DELETE FROM logs WHERE id = ?').run(this.#id);
  }
}

interface Edits {
  readonly entries: EditedLog;
  readonly heads: EditedLog;
  readonly tree: EditedLog;
  readonly db: Connection;
}

describe.skipIf(driver === undefined)('#audit tampering with the file (W49)', () => {
  const folder = temporaryFolder();
  let files = 0;

  /** A file with so many exchanges, a head in the middle and one at the end. */
  async function writtenFile(
    exchanges: number,
  ): Promise<{ path: string; witnesses: AuditWitnesses }> {
    files += 1;
    const path = join(folder, `log-${files}`);
    const store = await openSqliteStore({ path });
    const log = await openLog(store);
    const all = Array.from({ length: exchanges }, (_, at) => at);
    const half = all.splice(0, exchanges / 2);
    await Promise.all(half.map((at) => exchange(log, `m${at}`)));
    await log.head();
    const last = (await Promise.all(all.map((at) => exchange(log, `m${at}`)))).at(-1)!;
    const witnesses = { heads: [await log.head()], receipts: [await log.receipt(last)] };
    await log.close();
    await store.close();
    return { path, witnesses };
  }

  function edit(path: string, change: (edits: Edits) => void): void {
    const db = new driver!.DatabaseSync(path);
    const [entries, heads, tree] = [ENTRIES, HEADS, TREE].map((name) => new EditedLog(db, name));
    change({ entries: entries!, heads: heads!, tree: tree!, db });
    db.close();
  }

  async function verifyFile(path: string, witnesses: AuditWitnesses = {}): Promise<AuditReport> {
    const store = await openSqliteStore({ path });
    const report = await verifyAuditLog({ store, crypto, ...keys, ...witnesses });
    await store.close();
    return report;
  }

  async function startOn(path: string): Promise<unknown> {
    const store = await openSqliteStore({ path });
    try {
      return await openLog(store);
    } finally {
      await store.close();
    }
  }

  /** What is found after the edit. */
  async function problemsAfter(exchanges: number, change: (edits: Edits) => void): Promise<string> {
    const { path } = await writtenFile(exchanges);
    edit(path, change);
    const report = await verifyFile(path);
    expect(report.ok).toBe(false);
    return report.problems.map(({ seq, what }) => `${seq}: ${what}`).join('\n');
  }

  test('an untouched file holds, also against what was handed out', async () => {
    const { path, witnesses } = await writtenFile(150);
    const whole = { ok: true, size: 300, problems: [], unanswered: 0 };
    expect(await verifyFile(path, witnesses)).toEqual(whole);
  });

  test('an entry that was forged is found between the heads around it', async () => {
    const problems = await problemsAfter(4, ({ entries }) => {
      entries.set(3, entries.get(3).replace('"ok"', '"DEADLINE"'));
    });
    expect(problems).toContain('4: a stored head has another root');
  });

  test('an entry that is none, or not in its one spelling, is named', async () => {
    const problems = await problemsAfter(4, ({ entries }) => {
      entries.set(2, 'rubbish');
      entries.set(3, entries.get(3).replace(',', ', '));
    });
    expect(problems).toMatch(/2: no entry: .*\n(.*\n)*3: no entry: .*canonical/);
  });

  test('entries that were swapped, put in or taken out are found', async () => {
    const swapped = await problemsAfter(4, ({ entries }) => {
      const [first, second] = [entries.get(0), entries.get(2)];
      entries.set(0, second);
      entries.set(2, first);
    });
    expect(swapped).toContain('another root');
    const added = await problemsAfter(4, ({ entries }) => {
      const last = entries.get(7);
      entries.set(7, entries.get(6));
      entries.add(8, last);
    });
    expect(added).toContain('8: a stored head has another root');
    const removed = await problemsAfter(4, ({ entries }) => {
      entries.set(6, entries.get(7));
      entries.cut(7);
    });
    expect(removed).toContain('8: the log is shorter than a stored head says');
  });

  test('a tail that was cut off is found, and the node does not start on it', async () => {
    const { path } = await writtenFile(4);
    edit(path, ({ entries }) => entries.cut(6));
    expect(await verifyFile(path)).toMatchObject({
      ok: false,
      size: 6,
      problems: [{ seq: 8, what: expect.stringContaining('entries were removed') }],
    });
    await expect(startOn(path)).rejects.toThrow('entries were removed since its last head');
  });

  test('records that are gone while the length stayed are found', async () => {
    expect(await problemsAfter(4, ({ entries }) => entries.removeFrom(6))).toContain(
      '6: records are missing',
    );
    expect(await problemsAfter(4, ({ entries }) => entries.removeFrom(2, 3))).toContain(
      '2: records are missing',
    );
  });

  test('a log that was deleted is found', async () => {
    const problems = await problemsAfter(4, ({ entries }) => entries.drop());
    expect(problems).toContain('8: the log is shorter than a stored head says');
  });

  test('a head that was forged, or stripped of its signature, is no proof', async () => {
    const forged = await problemsAfter(4, ({ heads }) => {
      heads.set(0, heads.get(0).replace('"size":4', '"size":3'));
      heads.set(1, heads.get(1).replace(/,"sig":"[^"]*"/, ''));
    });
    expect(forged).toContain('the signature of the head does not hold');
    expect(forged).toContain('/sig is missing');
  });

  test('heads that were removed are found where a block is full', async () => {
    const problems = await problemsAfter(150, ({ heads }) => heads.cut(0));
    expect(problems).toContain('0: the signed heads after this size are missing');
  });

  test('two heads of the node on different logs of one size are found', async () => {
    const { path } = await writtenFile(4);
    const other = await openLog(createMemoryStore());
    for (let at = 0; at < 4; at += 1) await exchange(other, `other${at}`);
    const head = await other.head();
    edit(path, ({ heads }) => heads.add(2, JSON.stringify(head)));
    expect((await verifyFile(path)).problems).toEqual([
      { seq: 8, what: expect.stringContaining('a stored head has another root') },
    ]);
    const { path: clean } = await writtenFile(4);
    expect((await verifyFile(clean, { heads: [head] })).problems).toEqual([
      { seq: 8, what: expect.stringContaining('a head that was handed out has another root') },
    ]);
  });

  test('a log that was cut back together with its heads is found by what others kept', async () => {
    const { path, witnesses } = await writtenFile(4);
    edit(path, ({ entries, heads }) => {
      entries.cut(4);
      heads.cut(1);
    });
    expect(await verifyFile(path)).toMatchObject({ ok: true, size: 4 });
    const { problems } = await verifyFile(path, witnesses);
    expect(problems.map(({ what }) => what)).toEqual([
      expect.stringContaining('shorter than a head that was handed out says'),
      expect.stringContaining('shorter than a receipt says'),
    ]);
  });

  test('a file that was removed is found by what others kept', async () => {
    const { witnesses } = await writtenFile(4);
    const { ok, size } = await verifyFile(join(folder, 'fresh'), witnesses);
    expect({ ok, size }).toEqual({ ok: false, size: 0 });
  });

  test('a witness that the node did not sign proves nothing against it', async () => {
    const { path, witnesses } = await writtenFile(4);
    const receipt = { ...(witnesses.receipts![0] as object), verdict: 'INTERNAL' };
    const verdict = verifyFile(path, { receipts: [receipt] });
    await expect(verdict).rejects.toMatchObject({ code: 'SIGNATURE_INVALID' });
  });

  test('a stored tree or an index that was changed is found', async () => {
    const tree = await problemsAfter(150, (edits) => edits.tree.set(0, new Uint8Array(32)));
    expect(tree).toBe('0: the stored tree differs at level 8');
    expect(await problemsAfter(150, (edits) => edits.tree.cut(0))).toContain(
      'the stored tree ends at level 8',
    );
    const index = await problemsAfter(4, ({ db }) => {
      db.prepare(`DELETE FROM logs WHERE CAST(name AS TEXT) LIKE 'audit-id:%'`).run();
    });
    expect(index).toContain('0: the index does not lead to this entry');
  });

  test('the node does not start on a log that is not the one of its last head', async () => {
    const { path } = await writtenFile(4);
    edit(path, ({ entries }) => entries.set(5, entries.get(3)));
    await expect(startOn(path)).rejects.toThrow('it is not that of its last head');
    edit(path, ({ heads }) => heads.set(1, heads.get(1).replace('"size":8', '"size":7')));
    await expect(startOn(path)).rejects.toThrow('its last head is none');
  });

  test('what is changed while the node runs never gets its signature', async () => {
    const path = join(folder, 'running');
    const store = await openSqliteStore({ path });
    const log = await openLog(store);
    for (let at = 0; at < 3; at += 1) await exchange(log, `m${at}`);
    edit(path, ({ entries }) => entries.set(0, entries.get(2)));
    await exchange(log, 'm3');
    await log.head();
    const { problems } = await log.verify();
    expect(problems.map(({ what }) => what)).toContainEqual(
      expect.stringContaining('a stored head has another root'),
    );
    edit(path, ({ entries }) => entries.cut(5));
    await expect(log.record(requestEntry('m4'))).rejects.toThrow('it has become shorter');
    edit(path, ({ entries }) => entries.setLength(20));
    await expect(log.record(requestEntry('m4'))).rejects.toThrow('records are missing');
    await store.close();
  });
});

describe('#audit replies without their request', () => {
  test('are found: to no request, to one that is answered, or for another one', async () => {
    const log = await openLog(createMemoryStore());
    await exchange(log, 'm1');
    await log.record(requestEntry('m2'));
    const res = requestHash('payload');
    const reply = { kind: 'reply', id: 'r', re: 'm2', req: requestHash('m2'), res } as const;
    await log.record({ ...reply, verdict: 'ok', of: 0 });
    await log.record({ ...reply, verdict: 'ok', of: 99 });
    await log.record({ ...reply, verdict: 'ok', of: 2, req: res });
    const { problems, unanswered } = await log.verify();
    expect(problems).toEqual([
      { seq: 3, what: 'the reply answers no open request' },
      { seq: 4, what: 'the reply answers no open request' },
      { seq: 5, what: 'the reply is for another request than the one it names' },
    ]);
    expect(unanswered).toBe(0);
  });

  test('a receipt for words that the log does not hold is found', async () => {
    const log = await openLog(createMemoryStore());
    const content = await exchange(log, 'm1');
    const receipts = [await log.receipt({ ...content, verdict: 'INTERNAL' })];
    expect((await log.verify({ receipts })).problems).toEqual([
      { seq: 1, what: 'a receipt was given for another reply' },
    ]);
  });
});
