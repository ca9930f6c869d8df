// The Redis store against the rules of all stores, for what it carries: entries.

import { describe } from 'vitest';

import { entryStoreCompliance } from '../../compliance/store/store.ts';
import { hasRedis, sharedRedis } from '../../support/stores/redis.ts';

describe.skipIf(!hasRedis)('Redis', async () => {
  const redis = hasRedis ? await sharedRedis() : undefined;
  entryStoreCompliance('the Redis store', {
    isShared: true,
    open: (place, now) => redis!.open(place, { now }),
  });
});
