// Owns all special checks by the id of their test.

import { CALLERS } from './callers.ts';
import { FORMS } from './forms.ts';
import { PUSH } from './push.ts';
import type { Specials } from './special.ts';
import { STREAM_SPECIALS } from './streams.ts';

export const SPECIALS: Specials = { ...CALLERS, ...FORMS, ...PUSH, ...STREAM_SPECIALS };
