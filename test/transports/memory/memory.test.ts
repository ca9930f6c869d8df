import { describe, expect, test } from 'vitest';
import { DEFAULT_LIMITS } from '../../../src/limits.ts';
import { createMemoryHub } from '../../../transports/memory/index.ts';
import { describeChannelTransport } from '../../compliance/transport/channel.ts';
import {
  all,
  contextFor,
  echo,
  faultOf,
  outbound,
  read,
  reply,
} from '../../support/agents/exchanges.ts';

describeChannelTransport('memory', {
  transport: (options) => createMemoryHub(options).transport('a'),
  listen: (transport, context) => transport.listen(context, []),
});

const limits = DEFAULT_LIMITS;

describe('the hub #transport-same', () => {
  test('two hubs do not know each other, and a name is taken once', async () => {
    const hub = createMemoryHub();
    const listener = await hub.transport('a').listen(contextFor(echo), []);
    expect(listener.urls).toEqual(['memory:a']);
    await expect(hub.transport('a').listen(contextFor(echo), [])).rejects.toThrow(/already/);
    const elsewhere = createMemoryHub().transport('b').dial('memory:a', { limits });
    expect(await faultOf(elsewhere)).toBe('unreachable');
    const connection = await hub.transport('b').dial('memory:a', { limits });
    expect(await all(connection.exchange(outbound('x')))).toHaveLength(1);
    await connection.close();
    await listener.close(0);
    const again = await hub.transport('a').listen(contextFor(echo), []);
    // Closing the first once more does not end the second.
    await listener.close(0);
    await (await hub.transport('b').dial('memory:a', { limits })).close();
    await again.close(0);
  });

  test('neither end can change what the other holds', async () => {
    const hub = createMemoryHub();
    const request = outbound('x');
    const answer = reply({ re: 'x', is: 'answer' });
    const listener = await hub.transport('a').listen(
      contextFor(async function* (inbound) {
        request.bytes.fill(0);
        expect(read(inbound)).toMatchObject({ id: 'x' });
        inbound.bytes.fill(0);
        yield answer;
      }),
      [],
    );
    const connection = await hub.transport('b').dial('memory:a', { limits });
    for await (const incoming of connection.exchange(request)) {
      answer.bytes.fill(0);
      expect(read(incoming)).toMatchObject({ is: 'answer' });
    }
    await connection.close();
    await listener.close(0);
  });

  test('a request beyond the limit is refused with its code', async () => {
    const hub = createMemoryHub();
    const context = contextFor(echo, { maxBytes: 1_000 });
    const listener = await hub.transport('a').listen(context, []);
    const connection = await hub.transport('b').dial('memory:a', { limits });
    const answers = await all(connection.exchange(outbound('x', { text: 'x'.repeat(1_000) })));
    expect(answers).toMatchObject([{ code: 'LIMIT_BYTES' }]);
    await listener.close(0);
  });

  test('a name that would not fit an address is refused', () => {
    expect(() => createMemoryHub().transport('a b')).toThrow(/"name"/);
  });
});
