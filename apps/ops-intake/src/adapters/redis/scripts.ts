/**
 * What runs inside the store, one key at a time and all or nothing.
 *
 * A hash for each key. Its fields have one letter and its values stay below 64 bytes, so that the store keeps it in its
 * compact form (`listpack`), less than half the size of any other.
 *
 * | field | meaning |
 * | ----- | ------- |
 * | s     | `in-flight`, `unknown` or, once it is accepted, `answered`: the word that instances of 0.1.0 read and write |
 * | f     | fingerprint of the payload |
 * | o     | owner of the claim in flight |
 * | u     | when the lease of the last claim ends, milliseconds of the store's clock; until it is answered |
 * | d     | 1: an attempt before the one in flight may have published the submission |
 * | p     | who submitted, as a digest; absent without authentication |
 * | t     | until it is answered: when the first attempt began, milliseconds of the store's clock |
 * | a     | the answer: `[operations, topic, partition, offset]` |
 */

/**
 * Arguments: fingerprint, owner, lease and time to live in milliseconds, principal. A lease that ran out belongs to an instance
 * that died or could not tell how it ended: the outcome is unknown, and the same payload may be published again.
 * The second key is the store's marker: its field `since` tells when the store was empty.
 */
export const CLAIM = `
local entry = redis.call('HMGET', KEYS[1], 's', 'f', 'a', 'u')
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
if entry[1] then
  if entry[2] ~= ARGV[1] then return {'reused'} end
  if entry[1] == 'answered' then return {'accepted', entry[3]} end
  if entry[1] == 'in-flight' and tonumber(entry[4]) > now then return {'in-flight'} end
end
redis.call('HSETNX', KEYS[2], 'since', now)
local unknown = entry[1] and '1' or '0'
redis.call('HSET', KEYS[1], 's', 'in-flight', 'f', ARGV[1], 'o', ARGV[2], 'u', now + ARGV[3], 'd', unknown)
redis.call('HSETNX', KEYS[1], 't', now)
if ARGV[5] ~= '' then redis.call('HSET', KEYS[1], 'p', ARGV[5]) end
redis.call('PEXPIRE', KEYS[1], ARGV[4])
return {'claimed', unknown, redis.call('HGET', KEYS[2], 'since')}`;

/**
 * Arguments: fingerprint, owner, outcome, answer, time to live in milliseconds, principal, lease in milliseconds. An
 * accepted submission counts whoever holds the key now, and the first one stays. Any other outcome is the owner's to tell, and
 * may be told twice without harm. A key of unknown outcome keeps the end of its last lease: until then, it cannot be said that
 * its record is not in the log.
 */
export const SETTLE = `
local entry = redis.call('HMGET', KEYS[1], 's', 'f', 'o', 'd')
local state = 'unknown'
if ARGV[3] == 'accepted' then
  if entry[1] == 'answered' or (entry[2] and entry[2] ~= ARGV[1]) then return 0 end
  state = 'answered'
elseif entry[3] ~= ARGV[2] then
  if ARGV[3] == 'not-published' or entry[2] and entry[2] ~= ARGV[1] then return 0 end
  if entry[1] == 'in-flight' then return redis.call('HSET', KEYS[1], 'd', '1') end
  if entry[1] then return 0 end
elseif ARGV[3] == 'not-published' and entry[4] ~= '1' then
  return redis.call('DEL', KEYS[1])
end
redis.call('HSET', KEYS[1], 's', state, 'f', ARGV[1], 'a', ARGV[4])
redis.call('HDEL', KEYS[1], 'o', 'd')
if ARGV[6] ~= '' then redis.call('HSET', KEYS[1], 'p', ARGV[6]) end
if state == 'answered' then
  redis.call('HDEL', KEYS[1], 't', 'u')
else
  local time = redis.call('TIME')
  redis.call('HSETNX', KEYS[1], 'u', time[1] * 1000 + math.floor(time[2] / 1000) + ARGV[7])
end
redis.call('PEXPIRE', KEYS[1], ARGV[5])
return 1`;

/** Argument: principal. Returns `absent` and since when the store has kept every key for a key that is not theirs; a claim whose lease ran out is `unknown`. */
export const FIND = `
local entry = redis.call('HMGET', KEYS[1], 's', 'a', 'u', 'p', 't')
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
if not entry[1] or (entry[4] or '') ~= ARGV[1] then
  return {'absent', redis.call('HGET', KEYS[2], 'since') or tostring(now)}
end
if entry[1] == 'answered' then return {'accepted', entry[2]} end
local leased = tonumber(entry[3] or 0) > now
if entry[1] == 'in-flight' and leased then return {'in-flight'} end
return {'unknown', entry[5] or '0', leased and '1' or '0'}`;
