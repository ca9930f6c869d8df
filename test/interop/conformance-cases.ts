// The cases of the reference's own conformance run, put to our daemon with the profile compat: the reference starts its
// own servers for that run and takes no address, so the cases are made anew here.

import { beforeAll, describe, expect, test } from 'vitest';

import { parse } from '../support/wire/bytes.ts';
import { afterSuite } from './cleanup.ts';
import type { LabelPeer } from './label-peer.ts';
import { addPeer, newLabelPeer } from './label-peer.ts';
import { OurHome, serveDaemon } from './our-agent.ts';
import { ReferenceClient, stateOf } from './reference-client.ts';
import type { Judged, TransportName } from './reference-peer.ts';
import { ReferencePeer } from './reference-peer.ts';

const TRANSPORTS: readonly TransportName[] = ['http', 'ws', 'ipc'];
const CONCURRENT_REQUESTS = 24;

/** The two ways in which the reference runs its cases. */
const MODES = { dev: 'none', secure: 'enc+sig' } as const;

export function conformanceCases(python: string): void {
  const peers = new Map<string, LabelPeer>();
  const atEnd = afterSuite();
  let client: ReferenceClient;

  beforeAll(async () => {
    const reference = new ReferencePeer(python, { hasCbor: true });
    atEnd(() => reference.stop());
    const home = await OurHome.create();
    atEnd(() => home.remove());
    for (const name of Object.keys(MODES)) {
      const peer = await newLabelPeer(reference, `conformance-${name}`);
      peers.set(name, peer);
      await addPeer(home, peer, { switches: [] });
    }
    const daemon = await serveDaemon(home, '--profile', 'compat');
    atEnd(() => daemon.stop());
    client = new ReferenceClient(reference, home, await home.identity('agent'), daemon);
  });

  describe.each(TRANSPORTS)('over %s', (transport) => {
    describe.each(['dev', 'secure'] as const)('in the mode %s', (name) => {
      const mode = MODES[name];

      test('a valid task is answered', async () => {
        const judged = await client.ask(peers.get(name)!, mode, { transport });
        expect(judged.ct).toBe('state.v1');
        expect(stateOf(judged)['status']).toBe('completed');
      });

      test(`${CONCURRENT_REQUESTS} concurrent round trips succeed`, async () => {
        const answers = await Promise.all(
          Array.from({ length: CONCURRENT_REQUESTS }, () =>
            client.ask(peers.get(name)!, mode, { transport }),
          ),
        );
        expect(answers.map(({ ct }) => ct)).toEqual(Array(CONCURRENT_REQUESTS).fill('state.v1'));
        expect(answers.map(({ re }) => re)).toEqual(answers.map((answer) => answer.sent_id));
      });
    });

    test('an unknown content type is UNSUPPORTED_CT although nothing is signed', async () => {
      const asked = client.asked(peers.get('dev')!, 'none', { transport, ct: 'unknown.v9' });
      const judged = await client.reference.ask<Judged>('say', asked);
      expect(judged.ct).toBe('error.v1');
      expect(parse(judged.payload)).toMatchObject({ code: 'UNSUPPORTED_CT', retryable: true });
    });

    test('a body that does not decode is UNSUPPORTED_ENCODING', async () => {
      const address = client.daemon.addresses[transport];
      const bytes = Buffer.from('not-json').toString('base64');
      const judged = await client.reference.ask<Judged>('say', { transport, address, bytes });
      expect(judged.ct).toBe('error.v1');
      expect(parse(judged.payload)).toMatchObject({ code: 'UNSUPPORTED_ENCODING' });
    });
  });
}
