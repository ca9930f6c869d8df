// Proves that an agent that begins is not taken for one that is gone.

import { describe, expect, onTestFinished, test } from 'vitest';

import type { Listener } from '../../../src/transport.ts';
import { http } from '../../../transports/http/index.ts';
import { newAgent } from '../../support/agents/agents.ts';
import { small } from '../../support/agents/small-face.ts';

describe('#transport-begins faces of one port', () => {
  test('who asks for one that begins only later is told to come back', async () => {
    const { runtime } = await newAgent();
    onTestFinished(() => runtime.close());
    const face = small('small', (request) => request.answer(200, {}, 'here'));
    const statusOf = async (earlier: readonly Listener[], path: string): Promise<string> => {
      const { status, headers } = await fetch(new URL(path, earlier[0]!.urls[0]));
      return `${status} ${headers.get('retry-after')}`;
    };
    const meanwhile: string[] = [];
    const listeners = await runtime.listen(http({ port: 0 }), {
      name: face.name,
      listen: async (listening, earlier) => {
        meanwhile.push(await statusOf(earlier, '/small'), await statusOf(earlier, '/healthz'));
        return face.listen(listening, earlier);
      },
    });
    expect(meanwhile).toEqual(['503 1', '200 null']);
    expect(await statusOf(listeners, '/small')).toBe('200 null');
    expect(await statusOf(listeners, '/elsewhere')).toBe('404 null');
  });
});
