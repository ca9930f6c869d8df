// Proves that rights which are taken away count at once, over both dialects, with a store that outlives the agent.

import { describeRights } from '../compliance/dialect/rights.ts';
import { PLAIN, SDL_FACES } from '../support/dialect/faces.ts';
import { MEMORY } from '../support/dialect/stores.ts';

for (const face of [SDL_FACES[0]!, PLAIN]) describeRights(face, MEMORY);
