// Proves that rights which are taken away count at once, over every wire of the SDL dialect and another one, with stores
// that outlive the agent. Of the other dialects their own files prove it.

import { describeRights } from '../compliance/dialect/rights.ts';
import { PLAIN, SDL_FACES } from '../support/dialect/faces.ts';
import { MEMORY, sqlite } from '../support/dialect/stores.ts';
import { driver } from '../support/stores/sqlite.ts';

for (const face of [...SDL_FACES, PLAIN]) describeRights(face, MEMORY);
if (driver !== undefined) describeRights(SDL_FACES[0]!, sqlite());
