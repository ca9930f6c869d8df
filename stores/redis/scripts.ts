// Owns what runs inside Redis: each script is one atomic step, and leaves entries and their index in agreement.
//
// Keys, all behind the prefix: `v` the last version; `spaces` the names of the spaces; `s<space>` and
// `i<bytes>:<space><field>=<value>` sorted sets of keys by expiry; `e<bytes>:<space><key>` the entries, hashes of
// v (version), x (expiry, or empty), i (index as JSON, or empty) and d (value); `r<hash>` the buckets of rate limits,
// texts of tokens and moment, which are gone when they would be full.

import { createHash } from 'node:crypto';

export interface Script {
  readonly text: string;
  readonly sha1: string;
}

/** Versions are of the order of 10^15: Lua would round them when it makes a text of them by itself. */
const COMMON = `
local base = KEYS[1]

local function whole(number) return string.format('%.0f', number) end

local function entryName(space, key) return base .. 'e' .. #space .. ':' .. space .. key end

local function indexName(space, field, value)
  return base .. 'i' .. #space .. ':' .. space .. field .. '=' .. value
end

local function eachIndex(space, fields, visit)
  if fields == '' then return end
  for field, value in pairs(cjson.decode(fields)) do visit(indexName(space, field, value)) end
end

local function unlist(space, key, fields)
  eachIndex(space, fields, function(name) redis.call('ZREM', name, key) end)
end

local function remove(space, key, fields)
  unlist(space, key, fields)
  redis.call('ZREM', base .. 's' .. space, key)
  redis.call('UNLINK', entryName(space, key))
end

local function removeExpired(space, moment, limit)
  local keys = redis.call('ZRANGEBYSCORE', base .. 's' .. space, '-inf', whole(moment), 'LIMIT', 0, limit)
  for _, key in ipairs(keys) do
    remove(space, key, redis.call('HGET', entryName(space, key), 'i') or '')
  end
  return #keys
end

local function microseconds()
  local time = redis.call('TIME')
  return time[1] * 1000000 + time[2]
end

-- Freed is only what has expired for the caller and, a margin ago, for the server too.
local function freeable(now, margin)
  return math.min(now, math.floor(microseconds() / 1000) - margin)
end

-- The version that counts, and what is there of the entry even if it has expired.
local function find(space, key, now)
  local head = redis.call('HMGET', entryName(space, key), 'v', 'x', 'i')
  local isLive = head[1] and (head[2] == '' or tonumber(head[2]) > now)
  return isLive and tonumber(head[1]) or 0, head[3] or ''
end
`;

/**
 * space, key, now, ifVersion or empty, margin, expiry or empty, index, value → whether it was written, version.
 * The increment comes first, because a full Redis refuses it: then the script fails before it has changed anything.
 */
export const PUT: Script = script(`
local space, key, now, ifVersion = ARGV[1], ARGV[2], tonumber(ARGV[3]), ARGV[4]
local expiresAt, fields = ARGV[6], ARGV[7]
local found, fieldsFound = find(space, key, now)
if ifVersion ~= '' and tonumber(ifVersion) ~= found then return { 0, found } end

local version = redis.call('INCR', base .. 'v')
if version == 1 then
  -- A server that forgot everything goes on above what it has handed out before.
  version = microseconds()
  redis.call('SET', base .. 'v', whole(version))
end
if fieldsFound ~= fields then unlist(space, key, fieldsFound) end
redis.call('HSET', entryName(space, key), 'v', whole(version), 'x', expiresAt, 'i', fields, 'd', ARGV[8])
local score = expiresAt == '' and '+inf' or expiresAt
redis.call('ZADD', base .. 's' .. space, score, key)
eachIndex(space, fields, function(name) redis.call('ZADD', name, score, key) end)
redis.call('SADD', base .. 'spaces', space)
if version % 8 == 0 then
  -- More than eight, so that the store shrinks even where nobody purges it; what a purge would count is left to it.
  local margin = tonumber(ARGV[5])
  removeExpired(space, freeable(now - margin, margin), 32)
end
return { 1, version }
`);

/** space, key, now, ifVersion or empty → whether it holds, version. */
export const DELETE: Script = script(`
local space, key, ifVersion = ARGV[1], ARGV[2], ARGV[4]
local found, fields = find(space, key, tonumber(ARGV[3]))
if ifVersion ~= '' and tonumber(ifVersion) ~= found then return { 0, found } end
if found ~= 0 then remove(space, key, fields) end
return { 1, found }
`);

/** space, now, bound, index of at least two fields → how many. Walks the smallest of the sets. */
export const COUNT: Script = script(`
local space, now, bound = ARGV[1], ARGV[2], tonumber(ARGV[3])
local names = {}
eachIndex(space, ARGV[4], function(name) names[#names + 1] = name end)
local smallest
local least = math.huge
for at, name in ipairs(names) do
  local size = redis.call('ZCARD', name)
  if size < least then smallest, least = at, size end
end
local walked = table.remove(names, smallest)
local count = 0
local from = redis.call('ZCOUNT', walked, '-inf', now)
while count < bound do
  local keys = redis.call('ZRANGE', walked, from, from + 255)
  for _, key in ipairs(keys) do
    local hasAll = true
    for _, name in ipairs(names) do hasAll = hasAll and redis.call('ZSCORE', name, key) end
    if hasAll then count = count + 1 end
  end
  if #keys < 256 then break end
  from = from + 256
end
return math.min(count, bound)
`);

/** moment, margin, limit → how many were removed. */
export const PURGE: Script = script(`
local moment, limit = freeable(tonumber(ARGV[1]), tonumber(ARGV[2])), tonumber(ARGV[3])
local left = limit
for _, space in ipairs(redis.call('SMEMBERS', base .. 'spaces')) do
  if left == 0 then break end
  left = left - removeExpired(space, moment, left)
  if redis.call('EXISTS', base .. 's' .. space) == 0 then redis.call('SREM', base .. 'spaces', space) end
end
return limit - left
`);

/**
 * key, rate a second, burst, now or empty (the server's clock), margin → whether there was a token. The arithmetic is that
 * of the limiter in memory, step by step. A refusal writes nothing, so that who sends too fast costs no disk.
 */
export const TAKE: Script = script(`
local name, rate, burst = base .. 'r' .. ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
local now = tonumber(ARGV[4]) or math.floor(microseconds() / 1000)
local kept, at = string.match(redis.call('GET', name) or '', '^(%S+) (%S+)$')
at = tonumber(at) or now
local earned = (math.max(0, now - at) / 1000) * rate
local tokens = math.min(burst, (tonumber(kept) or burst) + earned)
local taken = tokens >= 1 and 1 or 0
if taken == 1 or now < at then
  tokens = tokens - taken
  local lifeMs = math.ceil((burst - tokens) / rate * 1000) + tonumber(ARGV[5])
  -- What takes longer to fill is kept for three centuries: Redis could not add more to its clock.
  redis.call('SET', name, string.format('%.17g %.17g', tokens, now), 'PX', whole(math.min(lifeMs, 1e13)))
end
return taken
`);

function script(body: string): Script {
  const text = COMMON + body;
  return { text, sha1: createHash('sha1').update(text).digest('hex') };
}
