// Owns what a test of transports alone gives to faces: everybody has room, nobody is known.

import { SdlError } from '../../../src/errors.ts';
import { resolveLimits } from '../../../src/limits.ts';
import type { ListenContext } from '../../../src/transport.ts';

const refused = (): Promise<never> =>
  Promise.reject(new SdlError('UNAUTHENTICATED', 'nobody is known'));

const NO_TASKS: ListenContext['tasks'] = {
  authorize: refused,
  start: refused,
  message: refused,
  get: refused,
  list: refused,
  cancel: refused,
  follow: () => ({ [Symbol.asyncIterator]: () => ({ next: refused }) }),
};

export const FACE_CONTEXT: Pick<
  ListenContext,
  'tasks' | 'authenticate' | 'admit' | 'about' | 'signer' | 'refused' | 'onError' | 'readTask'
> = {
  tasks: NO_TASKS,
  authenticate: refused,
  admit: () => ({
    signal: new AbortController().signal,
    release: () => {},
  }),
  about: () => ({
    agentId: 'did:key:z6Mk',
    name: 'agent',
    contentTypes: [],
    tools: [],
    limits: resolveLimits(),
    endpoints: [],
  }),
  signer: () => undefined,
  refused: () => {},
  onError: () => {},
  readTask: () => {
    throw new SdlError('PAYLOAD_INVALID', 'nobody does tasks');
  },
};
