// Owns what a test of transports alone gives to faces: everybody has room, nobody is known.

import { SdlError } from '../../../src/errors.ts';
import { resolveLimits } from '../../../src/limits.ts';
import type { ListenContext } from '../../../src/transport.ts';

const refused = (): Promise<never> =>
  Promise.reject(new SdlError('UNAUTHENTICATED', 'nobody is known'));

const NO_TASKS: ListenContext['tasks'] = {
  sent: () => undefined,
  authorize: refused,
  start: refused,
  message: refused,
  carried: refused,
  get: refused,
  list: refused,
  cancel: refused,
  setHook: refused,
  hooks: refused,
  dropHook: refused,
  follow: () => ({ [Symbol.asyncIterator]: () => ({ next: refused }) }),
};

export const FACE_CONTEXT: Pick<
  ListenContext,
  | 'tasks'
  | 'tellHooks'
  | 'authenticate'
  | 'schemes'
  | 'admit'
  | 'about'
  | 'signer'
  | 'refused'
  | 'onError'
  | 'readTask'
  | 'open'
  | 'seal'
  | 'mustSeal'
  | 'hasSealed'
  | 'digest'
  | 'bundle'
> = {
  tasks: NO_TASKS,
  tellHooks: undefined,
  schemes: () => ({ schemes: [], isOptional: false }),
  authenticate: refused,
  admit: () => ({
    signal: new AbortController().signal,
    claim: () => {},
    stream: () => undefined,
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
  open: refused,
  seal: refused,
  mustSeal: async () => false,
  hasSealed: async () => undefined,
  digest: () => new Uint8Array(32),
  bundle: () => undefined,
};
