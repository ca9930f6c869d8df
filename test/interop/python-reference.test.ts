// The Python reference of A2A-SDL v1 as a live peer, both ways. One file, so that it is looked for once in a run.

import { describe } from 'vitest';

import { findPythonReference } from '../support/repository/python-reference.ts';
import { conformanceCases } from './conformance-cases.ts';
import { referenceAnswers } from './reference-answers.ts';
import { referenceAsks } from './reference-asks.ts';
import { referenceRules } from './reference-rules.ts';

const python = await findPythonReference();
const isMissing = python === undefined;

describe.skipIf(isMissing)('the reference asks our daemon #v1-sends #sec-canon', () => {
  referenceAsks(python!);
});

describe.skipIf(isMissing)('the reference answers our client #v1-sends #sec-canon', () => {
  referenceAnswers(python!);
});

describe.skipIf(isMissing)('the reference itself #v1-ignores #v1-refuses', () => {
  referenceRules(python!);
});

describe.skipIf(isMissing)("the reference's conformance cases #ct-unknown #transport-same", () => {
  conformanceCases(python!);
});
