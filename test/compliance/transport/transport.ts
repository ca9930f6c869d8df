// Owns what every transport must do, from the first byte to the last answer: the same verdicts on all of them.

import type { MakeWire } from '../../support/agents/transport-pairs.ts';
import { describeAnswers } from './answers.ts';
import { describeGone } from './gone.ts';
import { describeLife } from './life.ts';
import { describeRefusals } from './refusals.ts';
import { describeStreams } from './streams.ts';

export function describeTransport(name: string, makeWire: MakeWire): void {
  describeAnswers(name, makeWire);
  describeRefusals(name, makeWire);
  describeLife(name, makeWire);
  describeGone(name, makeWire);
  describeStreams(name, makeWire);
}
