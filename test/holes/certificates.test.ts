// Holes that were found in client certificates that are taken away: each test is what went on all the same, by its number.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, test } from 'vitest';

import type { Authenticated, CallerEntry } from '../../profiles/auth/index.ts';
import { createCallers } from '../../profiles/auth/index.ts';
import type { Secret } from '../../profiles/auth/entry.ts';
import { certificateHash } from '../../profiles/auth/secret.ts';
import type { Peer, PeerDirectory } from '../../src/security/peers/peer.ts';
import { Book, entryFor, newIdentity } from '../support/agents/agents.ts';
import { SOON_MS, within } from '../support/agents/soon.ts';
import { asOperator } from '../support/dialect/agent.ts';
import { aborted, newGate } from '../support/dialect/works.ts';
import { temporaryFolder } from '../support/stores/sqlite.ts';
import { makeCertificate } from '../support/wire/certificates.ts';
import { forge, judge, newReceiver } from '../support/wire/forge.ts';

const folder = temporaryFolder();

describe('A3 a client certificate that is taken away #client-certificates', () => {
  const [OLD, NEW] = ['a'.repeat(64), 'b'.repeat(64)];

  class CertificateBook extends Book {
    override snapshot(): ReturnType<Book['snapshot']> & Pick<PeerDirectory, 'findByCertificate'> {
      const page = this.list();
      const findByCertificate = (print: string): Peer | undefined =>
        page.find(({ certificates }) => certificates?.includes(print));
      return { ...super.snapshot(), findByCertificate };
    }
  }

  test.each([
    ['is not listed any more', { certificates: [OLD] }, { certificates: [NEW] }, {}],
    ['is given to another agent', {}, {}, { certificates: [OLD] }],
  ])(
    'A3 of a peer that %s ends the streams through it, and no task',
    async (_how, before, after, ofOthers) => {
      const began = newGate();
      const book = new CertificateBook();
      const bob = await newReceiver({
        peers: book,
        onTask: async (_task, ctx) => {
          began.open();
          await aborted(ctx.signal);
        },
      });
      const [alice, mallory] = [await newIdentity(), await newIdentity()];
      book.add(entryFor(alice, before));
      const peer = { transport: 'test', address: '192.0.2.1', certificate: OLD };
      const end = judge(bob, await forge(alice, bob), { peer, wantsStream: true });
      await began.opened;
      book.add(entryFor(alice, after));
      book.add(entryFor(mallory, ofOthers));
      expect((await within(SOON_MS, end)).code).toBe('NOT_AUTHORIZED');
      const next = await judge(bob, await forge(alice, bob), { peer });
      expect(next.code).toBe('SENDER_REFUSED');
      const { tasks } = await bob.runtime.tasks.list(asOperator(), { owner: alice.agentId });
      expect(tasks.map(({ status }) => status.state)).toEqual(['working']);
    },
  );

  test('A3 of a caller ends what it asked for, wherever the entry has it from', async () => {
    const [one, other] = [makeCertificate('one'), makeCertificate('other')];
    if (one === undefined || other === undefined) return;
    const path = join(folder, 'cert.pem');
    writeFileSync(path, one.cert);
    const proofBy = (certificate: Secret): CallerEntry['proof'] => ({
      scheme: 'certificate',
      certificate,
    });
    let entries: CallerEntry[] = [
      { name: 'by-hash', proof: proofBy({ sha256: OLD }), peer: 'did:key:a-peer' },
      { name: 'by-file', proof: proofBy({ file: path }) },
    ];
    const callers = createCallers({ entries: () => entries });
    const show = (certificate: string): Promise<Authenticated> =>
      callers.authenticate({ face: 'a2a', address: '192.0.2.1', certificate });
    const linked = (await show(OLD)).principal;
    const { principal } = await show(certificateHash(one.cert));
    expect([callers.of(linked), callers.of(principal)]).not.toContain(undefined);
    entries = [{ ...entries[0]!, proof: proofBy({ sha256: NEW }) }, entries[1]!];
    expect(callers.of(linked)).toBeUndefined();
    expect((await show(NEW)).principal.id).toBe(linked.id);
    writeFileSync(path, other.cert);
    await callers.refresh!();
    expect(callers.of(principal)).toBeUndefined();
    // So it is with the tasks that it has begun: their owner has that certificate in its id.
    const { certificate: _, ...owner } = principal;
    expect(callers.of(owner)).toBeUndefined();
  });
});
