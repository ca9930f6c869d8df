// Proves the client: it comes back when a connection is lost and asks again, and believes nothing that comes too late.

import { describe, expect, onTestFinished, test } from 'vitest';

import type { SwpClient, SwpClientOptions } from '../../../profiles/swp/index.ts';
import { connectSwp, encodeFrame } from '../../../profiles/swp/index.ts';
import { openSwpAgent } from '../../support/swp/agent.ts';
import { event, frame, handshake, result } from '../../support/swp/frames.ts';
import { scriptedPeer } from '../../support/swp/scripted-peer.ts';

function open(address: string, options: SwpClientOptions = {}): SwpClient {
  const client = connectSwp(address, options);
  onTestFinished(() => client.close());
  return client;
}

const textOf = ({ output }: { readonly output: Uint8Array }): string =>
  Buffer.from(output).toString();

describe('#swp-client connections', () => {
  test('a lost one is made anew, and what has no Result is sent again, octet for octet', async () => {
    const { address, accept } = await scriptedPeer();
    const client = open(address, { handshake: { agentId: 'me' } });
    const promised = client.give('work', { taskId: 't', input: 'in' });
    const first = await accept();
    const [given] = await first.until('task');
    expect(first.of('handshake')).toHaveLength(1);
    first.send(frame(event('t', 'half')));
    first.socket.destroy();
    const second = await accept();
    const [again] = await second.until('task');
    expect(again).toEqual(given);
    expect(second.frames.at(-1)!.envelope!.msg_id).not.toBe(first.frames.at(-1)!.envelope!.msg_id);
    second.send(frame(handshake('them', 'tool:x')), frame(result('t', 'done')));
    expect(textOf(await promised)).toBe('done');
    expect(client.peer).toMatchObject({ agentId: 'them', capabilities: ['tool:x'] });
  });

  test('a reply that reuses our msg_id is taken, as often as it comes', async () => {
    const { address, accept } = await scriptedPeer();
    const refusals: string[] = [];
    const client = open(address, { onRefused: ({ code }) => void refusals.push(code) });
    const events: string[] = [];
    const promised = client.give('work', {
      taskId: 't',
      onEvent: ({ message }) => void events.push(message),
    });
    const peer = await accept();
    await peer.until('task');
    const { msg_id } = peer.frames[0]!.envelope!;
    for (const message of [event('t', 'one'), event('t', 'two'), result('t', 'done')]) {
      peer.send(encodeFrame({ envelope: { msg_id }, message }));
    }
    expect(textOf(await promised)).toBe('done');
    expect([events, refusals]).toEqual([['one', 'two'], []]);
  });

  test('a frame that cannot be read costs the connection, not the Task', async () => {
    const { address, accept } = await scriptedPeer();
    const refusals: string[] = [];
    const client = open(address, { onRefused: ({ code }) => void refusals.push(code) });
    const promised = client.give('work', { taskId: 't' });
    (await accept()).send(Buffer.from('00000000', 'hex'));
    const second = await accept();
    await second.until('task');
    second.send(frame(result('t', 'done')));
    await promised;
    expect(refusals).toEqual(['INVALID_FRAME']);
  });

  test('nobody there, and somebody who closes every time, are told', async () => {
    const { address, accept } = await scriptedPeer();
    const nobody = open('127.0.0.1:9');
    await expect(nobody.give('work')).rejects.toMatchObject({ code: 'TRANSPORT_UNREACHABLE' });
    const client = open(address);
    const promised = client.give('work');
    const closing = (async () => {
      for (;;) (await accept()).socket.destroy();
    })();
    closing.catch(() => undefined);
    await expect(promised).rejects.toMatchObject({ code: 'TRANSPORT_REFUSED' });
  });

  test('what is not sent to anybody: no address, no secure way, no kind, a closed client', async () => {
    for (const address of ['', 'unix:relative', '127.0.0.1', '127.0.0.1:0', 'host:99999']) {
      expect(() => connectSwp(address)).toThrow('"address" expected');
    }
    expect(() => connectSwp('192.0.2.1:1')).toThrow('"tls" expected');
    const client = open('127.0.0.1:9');
    await expect(client.give(' ')).rejects.toMatchObject({ code: 'INVALID_PROFILE_PAYLOAD' });
    await client.close();
    await expect(client.give('work')).rejects.toMatchObject({ code: 'TRANSPORT_ABORTED' });
  });

  test('many Tasks at once stay below what the other end takes in a second', async () => {
    const { address, refusals } = await openSwpAgent(undefined, {
      face: { framesPerSecond: 16, peerFramesPerSecond: 0 },
    });
    const client = open(address, { peerFramesPerSecond: 16 });
    const results = await Promise.all(
      Array.from({ length: 40 }, (_, at) => client.give(`work ${at}`)),
    );
    expect(results.map(textOf)).toEqual(results.map((_, at) => `did work ${at}`));
    expect(refusals()).toEqual([]);
  });

  test('a Task that no frame holds is not sent', async () => {
    const { address } = await openSwpAgent();
    const client = open(address, { maxFrameBytes: 4_096 });
    const ask = client.give('work', { input: new Uint8Array(4_096) });
    await expect(ask).rejects.toMatchObject({ code: 'INVALID_ENVELOPE' });
    expect((await client.give('work', { input: new Uint8Array(3_900) })).ok).toBe(true);
  });

  test('a real agent does each Task once, however often it is asked', async () => {
    let runs = 0;
    const { address } = await openSwpAgent(async ({ text }) => {
      runs += 1;
      return `did ${text}`;
    });
    const [one, other] = [open(address), open(address)];
    const ask = { taskId: 'same', input: new Uint8Array([1, 2]) };
    const results = [
      await one.give('work', ask),
      await one.give('work', ask),
      await other.give('work', ask),
    ];
    expect(results.map(textOf)).toEqual(Array(3).fill('did work'));
    expect(runs).toBe(1);
  });
});
