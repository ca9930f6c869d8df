// Owns what every transport must do, from the first byte to the last answer: the same verdicts on all of them.

import type { MakeWire } from '../support/transport-pairs.ts';
import { describeAnswers } from './transport-answers.ts';
import { describeLife } from './transport-life.ts';
import { describeRefusals } from './transport-refusals.ts';
import { describeStreams } from './transport-streams.ts';

export function describeTransport(name: string, makeWire: MakeWire): void {
  describeAnswers(name, makeWire);
  describeRefusals(name, makeWire);
  describeLife(name, makeWire);
  describeStreams(name, makeWire);
}
