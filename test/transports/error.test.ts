// What a requester that gets no answer can match on.

import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';

import { describe, expect, test } from 'vitest';

import type { TransportFault } from '../../src/transport.ts';
import { TransportError } from '../../src/transport.ts';
import { fetchAgentDocument } from '../../transports/http/index.ts';
import { specText } from '../support/repository/spec.ts';

const RETRYABLE: Readonly<Record<TransportFault, boolean>> = {
  unreachable: true,
  lost: true,
  timeout: true,
  refused: false,
  forbidden: false,
  protocol: false,
  aborted: false,
};

describe('#errors-transport the code of a fault', () => {
  test.each(Object.entries(RETRYABLE) as [TransportFault, boolean][])(
    '%s is written down, and may be sent again: %s',
    (fault, isRetryable) => {
      const error = new TransportError(fault, 'words');
      expect(error).toMatchObject({ code: `TRANSPORT_${fault.toUpperCase()}`, isRetryable });
      expect(specText).toContain(error.code);
    },
  );

  test('is on what a transport throws', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    server.close();
    await once(server, 'close');
    await expect(fetchAgentDocument(`http://127.0.0.1:${port}`)).rejects.toMatchObject({
      name: 'TransportError',
      code: 'TRANSPORT_UNREACHABLE',
    });
  });
});
