// Proves that agents which share no web server get the same verdicts: in one process, by Unix socket, by TCP frames.

import { describeTransport } from '../compliance/transport/transport.ts';
import { memoryWire, tcpWire, unixWire } from '../support/agents/transport-pairs.ts';

describeTransport('memory', memoryWire);
describeTransport('Unix socket', unixWire);
describeTransport('TCP frames', tcpWire);
