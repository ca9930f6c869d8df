// Owns a message that a transport handed over, on its way to a handler: its passage, and who waits for the answer.
// SPEC.md section 13 (#checks).

import type { Inbound } from '../transport.ts';
import type { CheckServices, Snapshot } from './passage.ts';
import { Passage } from './passage.ts';

export class ReceivedPassage extends Passage {
  readonly inbound: Inbound;

  constructor(inbound: Inbound, services: CheckServices, snapshot: Snapshot) {
    super(inbound, services, snapshot);
    this.inbound = inbound;
  }
}
