// Proves that agents behind a web server get the same verdicts: by HTTP, by HTTPS with client certificates, by WebSocket.

import { test } from 'vitest';
import { describeTransport } from '../compliance/transport/transport.ts';
import { httpWire, httpsWire, wsWire } from '../support/agents/transport-pairs.ts';

const https = httpsWire();
if (https === undefined && process.env['CI'] === 'true') {
  throw new Error('CI needs openssl for the https tests');
}

describeTransport('HTTP', httpWire);
describeTransport('WebSocket', wsWire);
if (https === undefined) test.skip('HTTPS with client certificates needs openssl');
else describeTransport('HTTPS with client certificates', https);
