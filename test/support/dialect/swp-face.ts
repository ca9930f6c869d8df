// Owns SWP in the dialect suite: how a caller is let in, and all that its wire cannot say.

import type { Face } from './faces.ts';
import { PLAIN } from './faces.ts';

const ENDS_ONLY = 'a Result says that it failed, and not in which of the ways to fail';
const NO_WORDS = 'nothing can be said to a task that was given';
const NO_LOOK = 'a task can be given and watched, not looked at, listed or named by anybody else';
const NO_CANCEL = 'a task cannot be called off';
const NO_ANSWER = 'a Task that is refused is not answered: there is no frame for it';
const NO_PLACE = 'a stream begins where it is joined, and says nothing of what was before';
const ONE_OUTPUT = 'the output is one value: its parts and how it grew are not told';

export const SWP: Face = {
  name: 'SWP',
  caller: (agent) => Promise.resolve(agent.swp()),
  link: (agent, { owner }) => Promise.resolve(agent.swp(owner)),
  change: (agent, caller, how) => PLAIN.change(agent, caller, how),
  cannot: {
    3: ENDS_ONLY,
    4: NO_WORDS,
    5: NO_WORDS,
    6: NO_WORDS,
    7: NO_WORDS,
    8: NO_WORDS,
    9: NO_LOOK,
    10: NO_CANCEL,
    11: NO_CANCEL,
    12: NO_CANCEL,
    15: NO_LOOK,
    16: NO_LOOK,
    18: NO_LOOK,
    20: NO_LOOK,
    21: NO_LOOK,
    24: NO_ANSWER,
    26: 'an equal Task brings the Result again, whatever it was',
    27: NO_LOOK,
    28: NO_WORDS,
    29: ONE_OUTPUT,
    30: ONE_OUTPUT,
    31: ONE_OUTPUT,
    32: NO_ANSWER,
    33: NO_PLACE,
    34: NO_PLACE,
    35: NO_PLACE,
    36: NO_PLACE,
    37: NO_PLACE,
    38: NO_PLACE,
    39: NO_PLACE,
    40: NO_LOOK,
    41: NO_LOOK,
    42: NO_LOOK,
    43: NO_LOOK,
    44: NO_ANSWER,
    45: 'a Result does not say whether it may pass',
    46: NO_ANSWER,
    47: NO_LOOK,
    48: NO_WORDS,
    49: NO_ANSWER,
    50: NO_WORDS,
  },
  cancelOfEnded: 'unchanged',
  longFractions: 'kept',
  isKeptOpen: true,
  stopCode: 'DRAINING',
  codeOf: (code) => code,
};
