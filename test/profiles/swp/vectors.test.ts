// Proves the shared SWP vectors by outcome, code and canonical name: what one frame decides by the codec, what depends on
// the channel or on earlier frames against a server. The bins of the cases a2a_* carry no A2A message (they hold a marker
// and the name of the case): those cases are played with real frames in a2a-cases.test.ts.

import { once } from 'node:events';
import type { Socket } from 'node:net';
import { connect as connectTcp } from 'node:net';
import { connect as connectTls } from 'node:tls';

import { describe, expect, test } from 'vitest';

import type { SwpFrameForm } from '../../../profiles/swp/index.ts';
import { decodeStream } from '../../../profiles/swp/index.ts';
import {
  hasVectors,
  vectorBytes,
  vectorFiles,
  vectorJson,
} from '../../support/repository/vectors.ts';
import { openSwpAgent } from '../../support/swp/agent.ts';
import { RawConnection } from '../../support/swp/raw-connection.ts';
import { certificates, tlsProxy } from '../../support/swp/secure.ts';

interface Expected {
  readonly outcome: 'accept' | 'reject' | 'process_check';
  readonly code: string;
  readonly expected_error_code?: string;
  readonly assertions: Assertions;
}

interface Assertions {
  readonly envelope?: {
    readonly version?: number;
    readonly profile_id?: number;
    readonly msg_type?: number;
    readonly payload_len?: number;
    readonly min_msg_id_bytes?: number;
  };
  readonly limits?: { readonly max_frame_bytes?: number; readonly max_payload_bytes?: number };
  readonly policy?: { readonly timestamp_required?: boolean } | string;
}

const FOLDER = 'swp/';
/** The moment at which the vectors were made. */
const NOW_MS = Date.parse('2026-02-19T14:55:16Z');
const names = vectorFiles('swp')
  .filter((name) => name.endsWith('.json'))
  .map((name) => name.slice(0, -'.json'.length));

/** A document is looked at there, by people: there is nothing to run. */
const NOT_RUN = names.filter((name) => name.startsWith('core_0033'));
/** What one frame alone does not decide. */
const BY_SERVER = names.filter((name) => /^(core_0016|core_0027|s1_000[1-5])/.test(name));
const BY_CODEC = names.filter(
  (name) => /^(core|e1|s1)_/.test(name) && !NOT_RUN.includes(name) && !BY_SERVER.includes(name),
);
const POC = names.filter((name) => name.startsWith('poc_'));
const A2A = names.filter((name) => name.startsWith('a2a_'));

const bytesOf = (name: string): Uint8Array => vectorBytes(`${FOLDER}${name}.bin`);
const expectedOf = (name: string): Expected =>
  vectorJson<{ readonly expected: Expected }>(`${FOLDER}${name}.json`).expected;

function optionsFor(name: string, { assertions }: Expected): Parameters<typeof decodeStream>[1] {
  const { limits = {}, policy } = assertions;
  const { max_frame_bytes: frame, max_payload_bytes: payload } = limits;
  const isTimeRequired = typeof policy === 'object' && policy.timestamp_required === true;
  return {
    nowMs: NOW_MS,
    ...(frame !== undefined && { maxFrameBytes: frame }),
    ...(payload !== undefined && { maxPayloadBytes: payload }),
    ...(isTimeRequired && { requireTs: true }),
    ...(/stale_timestamp|future_timestamp/.test(name) && { skewMs: 300_000 }),
  };
}

/** Whatever went wrong before. */
function closed(socket: Socket): Promise<void> {
  return new Promise((resolve) => socket.on('close', () => resolve()));
}

/** What is claimed of an envelope counts where it is accepted. */
function expectEnvelope({ envelope }: SwpFrameForm, claims: Assertions['envelope'] = {}): void {
  const { version, profile_id, msg_type, payload_len, min_msg_id_bytes = 0 } = claims;
  const told = envelope!;
  if (version !== undefined) expect(told.version).toBe(String(version));
  if (profile_id !== undefined) expect(told.profile_id).toBe(String(profile_id));
  if (msg_type !== undefined) expect(told.msg_type).toBe(String(msg_type));
  if (payload_len !== undefined) expect(told.payload.length / 2).toBe(payload_len);
  expect(told.msg_id.length / 2).toBeGreaterThanOrEqual(min_msg_id_bytes);
}

describe.skipIf(!hasVectors)('the shared vectors #swp-frame #swp-envelope #swp-order', () => {
  test('are all accounted for, and core_0033 is not run: it is a check of a process', () => {
    expect([BY_CODEC.length, BY_SERVER.length, POC.length, A2A.length]).toEqual([39, 7, 6, 15]);
    expect(NOT_RUN).toEqual(['core_0033_extensibility_backward_compatibility']);
    expect(expectedOf(NOT_RUN[0]!).outcome).toBe('process_check');
    const all = [...BY_CODEC, ...BY_SERVER, ...POC, ...A2A, ...NOT_RUN];
    expect(all.toSorted()).toEqual(names.toSorted());
  });

  test.each(BY_CODEC)('%s', (name) => {
    const expected = expectedOf(name);
    const frames = decodeStream(bytesOf(name), optionsFor(name, expected));
    expect(frames).toHaveLength(1);
    const [frame] = frames;
    expect([frame!.outcome, frame!.code, frame!.error]).toEqual([
      expected.outcome,
      expected.code,
      expected.expected_error_code,
    ]);
    if (frame!.outcome === 'accept') expectEnvelope(frame!, expected.assertions.envelope);
  });

  test.each(POC)('%s', (name) => {
    const { expect: wanted } = vectorJson<{
      readonly expect: Assertions['envelope'] & {
        readonly ok: boolean;
        readonly code: string;
        readonly min_payload_len?: number;
      };
    }>(`${FOLDER}${name}.json`);
    const [frame] = decodeStream(bytesOf(name), { profiles: [1, 12] });
    expect([frame!.outcome === 'accept', frame!.code]).toEqual([wanted.ok, wanted.code]);
    if (!wanted.ok) return;
    expectEnvelope(frame!, wanted);
    expect(frame!.envelope!.payload.length / 2).toBeGreaterThanOrEqual(wanted.min_payload_len ?? 0);
  });

  test.each(A2A)('%s is a marker, not a message', (name) => {
    const [frame] = decodeStream(bytesOf(name));
    expect(Buffer.from(frame!.envelope!.payload, 'hex').includes(name)).toBe(true);
    const isType = name.startsWith('a2a_0014');
    expect(frame!.code).toBe(isType ? 'UNSUPPORTED_MSG_TYPE' : 'INVALID_PROFILE_PAYLOAD');
  });
});

describe.skipIf(!hasVectors)('the shared vectors against a server #swp-channel #swp-pace', () => {
  /** Profiles of the vectors reach the rules that they are about. */
  const profiles = [1, 2];
  const wanted = (start: string): readonly [string, string] => {
    const name = names.find((each) => each.startsWith(start))!;
    const { code, expected_error_code: error } = expectedOf(name);
    expect(error).toBe(`ERR_${code}`);
    return [name, code];
  };

  test('core_0016: one frame more than a second takes', async () => {
    const [name, code] = wanted('core_0016');
    const { address, refused, refusals } = await openSwpAgent(undefined, {
      face: { profiles, framesPerSecond: 1 },
    });
    const connection = await RawConnection.open(address);
    connection.send(bytesOf(name), bytesOf(name));
    await connection.closed;
    await refused(2);
    // Nobody serves the profile of the vector; the second frame closes.
    expect(refusals()).toEqual(['UNSUPPORTED_MSG_TYPE', code]);
  });

  test('core_0027: the same msg_id again', async () => {
    const [name, code] = wanted('core_0027');
    const { address, refusals } = await openSwpAgent(undefined, { face: { profiles } });
    const connection = await RawConnection.open(address);
    connection.send(bytesOf(name), bytesOf(name));
    await connection.closed;
    expect(refusals()).toEqual(['UNSUPPORTED_MSG_TYPE', code]);
  });

  test('s1_0001: who proves nothing is cut off before a frame is read', async () => {
    const [name, code] = wanted('s1_0001');
    const { address, refusals } = await openSwpAgent(undefined, { anonymous: [] });
    const connection = await RawConnection.open(address);
    connection.send(bytesOf(name));
    await connection.closed;
    expect([refusals(), connection.frames]).toEqual([[code], []]);
  });

  test('s1_0002 and s1_0003: a wrong certificate, and no TLS where there must be', async ({
    skip,
  }) => {
    const made = certificates();
    if (made === undefined) throw skip('openssl is missing');
    const { server, client, stranger } = made;
    const tls = { ...server, ca: client.cert };
    const { address, refused, refusals } = await openSwpAgent(undefined, { face: { tls } });
    const [host, port] = address.split(':');
    const [name, code] = wanted('s1_0002');
    const wrong = connectTls({ host, port: Number(port), ...stranger, ca: server.cert });
    wrong.on('error', () => undefined);
    wrong.write(bytesOf(name));
    await closed(wrong);
    await refused(1);
    const [plainName] = wanted('s1_0003');
    const plain = connectTcp({ host: host!, port: Number(port) });
    plain.on('error', () => undefined);
    plain.write(bytesOf(plainName));
    plain.resume();
    await closed(plain);
    await refused(2);
    const old = connectTls({
      host,
      port: Number(port),
      ...client,
      ca: server.cert,
      minVersion: 'TLSv1',
      maxVersion: 'TLSv1.1',
      ciphers: 'DEFAULT@SECLEVEL=0',
    });
    await once(old, 'error');
    await refused(3);
    expect(refusals()).toEqual([code, code, code]);
  });

  test('s1_0004: a record that was changed on its way ends the channel', async ({ skip }) => {
    const made = certificates();
    if (made === undefined) throw skip('openssl is missing');
    const [name, code] = wanted('s1_0004');
    const { server, client } = made;
    const { certificateHash } = await import('../../../profiles/auth/index.ts');
    const { address, refused } = await openSwpAgent(undefined, {
      face: { tls: { ...server, ca: client.cert } },
      entries: [
        {
          name: 'peer',
          proof: { scheme: 'certificate', certificate: { sha256: certificateHash(client.cert) } },
        },
      ],
    });
    const proxy = await tlsProxy(address);
    const socket = connectTls({ host: '127.0.0.1', port: proxy.port, ...client, ca: server.cert });
    socket.on('error', () => undefined);
    await once(socket, 'secureConnect');
    proxy.damage();
    socket.write(bytesOf(name));
    await closed(socket);
    expect((await refused(1))[0]).toMatchObject({ refusal: code });
  });

  test('s1_0005: a stale frame where times are judged', async () => {
    const [name, code] = wanted('s1_0005');
    const { address, refusals } = await openSwpAgent(undefined, {
      face: { profiles, freshnessMs: 300_000 },
    });
    const connection = await RawConnection.open(address);
    connection.send(bytesOf(name));
    await connection.closed;
    expect(refusals()).toEqual([code]);
  });
});
