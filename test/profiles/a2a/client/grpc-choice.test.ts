// Proves which addresses of gRPC in a card are used and how, and that gRPC is passed over where it cannot be spoken.

import { describe, expect, test } from 'vitest';

import { connectA2a } from '../../../../profiles/a2a/client/connect.ts';
import type { InterfaceWish } from '../../../../profiles/a2a/client/discovery/choose.ts';
import { chooseInterface } from '../../../../profiles/a2a/client/discovery/choose.ts';
import { discover } from '../../../../profiles/a2a/client/discovery/discover.ts';
import { readCard } from '../../../../profiles/a2a/client/discovery/known-card.ts';
import { resolveClientOptions } from '../../../../profiles/a2a/client/options.ts';
import { cardOf, scriptedAgent } from '../../../support/a2a/scripted-agent.ts';

describe('#a2a-client-choice', () => {
  const V1 = { protocolVersion: '1.0' };
  const GRPC = { protocolBinding: 'GRPC', ...V1 };

  test.each<[string, string, string | undefined, string]>([
    ['a URL', 'https://b.example/a2a', 'http://a.example', 'https://b.example'],
    ['a URL without encryption', 'http://b.example:50051', undefined, 'http://b.example:50051'],
    ['host and port', 'a.example:50051', 'https://a.example/card', 'https://a.example:50051'],
    ['those of a card in a file', 'a.example:443', undefined, 'https://a.example'],
    ['those of a plain card', 'localhost:1', 'http://localhost:8/card', 'http://localhost:1'],
    [
      'another host than that of a plain card',
      'b.example:1',
      'http://a.example',
      'https://b.example:1',
    ],
    ['an address of IPv6', '[::1]:50051', 'http://[::1]:80', 'http://[::1]:50051'],
  ])('gRPC, by %s', (_what, url, cardUrl, wanted) => {
    const card = readCard({ supportedInterfaces: [{ ...GRPC, url }] });
    const facts = cardUrl === undefined ? {} : { cardUrl };
    const { binding, url: used } = chooseInterface(card, {}, facts);
    expect([binding, used]).toEqual(['GRPC', wanted]);
  });

  test('gRPC is passed over without an address, for the draft, and without its package', async () => {
    for (const url of [
      'unix:/tmp/x',
      'dns:///a.example:1',
      'a.example',
      'a b:1',
      'a.example:99999',
    ]) {
      const card = readCard({ supportedInterfaces: [{ ...GRPC, url }] });
      expect(() => chooseInterface(card)).toThrow('it has no address of gRPC');
    }
    const draft = readCard({ supportedInterfaces: [{ url: 'a:1', protocolBinding: 'GRPC' }] });
    expect(() => chooseInterface(draft)).toThrow('this version is not spoken here');
    const { origin } = await scriptedAgent({
      card: (at) =>
        cardOf(at, {
          supportedInterfaces: [
            { ...GRPC, url: '127.0.0.1:1' },
            { url: `${at}/rpc`, protocolBinding: 'JSONRPC', ...V1 },
          ],
        }),
    });
    const missing = async (): Promise<never> => {
      throw new Error('Cannot find package');
    };
    const found = (prefer: InterfaceWish) =>
      discover(origin, resolveClientOptions({ prefer }), new AbortController().signal, missing);
    const used = (await found({})).chosen;
    expect([used.binding, used.reason]).toEqual([
      'JSONRPC',
      expect.stringContaining('not GRPC 1.0: A2A over gRPC needs the package @grpc/grpc-js'),
    ]);
    await expect(found({ binding: 'GRPC' })).rejects.toThrow('npm install @grpc/grpc-js');
    expect((await connectA2a(origin)).chosen.binding).toBe('GRPC');
  });
});
