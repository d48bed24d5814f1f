/**
 * What runs inside the store, one key at a time and all or nothing.
 *
 * The store's marker is a hash, too: `since` is when it was found missing, and a field for each instance counts the
 * claims and probes of that instance. A count below what was confirmed to the instance means that the store lost claims: it was emptied,
 * an old copy was restored, or a replica took over that did not have them. Then it has kept every key only from now on.
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
 * | t     | until it is answered: when the first attempt began, milliseconds of the store's clock; 0: it is not known |
 * | a     | the answer: `[operations, topic, partition, offset]` |
 */

/**
 * Sets `since` and writes a marker that is missing or behind; needs `now`. Three arguments, from number `at` on: the instance's
 * field, the highest count that the store confirmed, and what the instance was told last of `since`: another one may have noticed the
 * loss before.
 */
const sinceOf = (key: string, at: number): string => `
local marker = redis.call('HMGET', ${key}, 'since', ARGV[${at}])
local since = marker[1]
if not since or tonumber(marker[2] or 0) < tonumber(ARGV[${at + 1}]) then
  if not since or tonumber(since) <= tonumber(ARGV[${at + 2}]) then since = tostring(now) end
  redis.call('HSET', ${key}, 'since', since, ARGV[${at}], ARGV[${at + 1}])
end`;

/**
 * Arguments: fingerprint, owner, lease and time to live in milliseconds, principal, those of `sinceOf`, and 1 when the log does
 * not have the submission. A lease that ran out belongs to an instance that died or could not report how it ended: the outcome is
 * unknown, and the same payload may be published again when the log does not have it.
 */
export const CLAIM = `
local entry = redis.call('HMGET', KEYS[1], 's', 'f', 'a', 'u', 't')
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
if entry[1] then
  if entry[2] ~= ARGV[1] then return {'reused'} end
  if entry[1] == 'answered' then return {'accepted', entry[3]} end
  local leased = tonumber(entry[4] or 0) > now
  if entry[1] == 'in-flight' and leased then return {'in-flight'} end
  if leased or ARGV[9] ~= '1' then return {'unknown', entry[5] or '0', leased and '1' or '0'} end
end
${sinceOf('KEYS[2]', 6)}
local unknown = entry[1] and '1' or '0'
redis.call('HSET', KEYS[1], 's', 'in-flight', 'f', ARGV[1], 'o', ARGV[2], 'u', now + ARGV[3], 'd', unknown)
redis.call('HSETNX', KEYS[1], 't', now)
if ARGV[5] ~= '' then redis.call('HSET', KEYS[1], 'p', ARGV[5]) end
redis.call('PEXPIRE', KEYS[1], ARGV[4])
return {'claimed', unknown, since, redis.call('HINCRBY', KEYS[2], ARGV[6], 1)}`;

/**
 * Arguments: fingerprint, owner, outcome, answer, time to live in milliseconds, principal, lease in milliseconds. An
 * accepted submission counts whoever holds the key now, and the first one stays. Only the owner reports any other outcome, and
 * may report it twice without harm. A key of unknown outcome keeps the end of its last lease: until then, it cannot be said that
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
  redis.call('HSETNX', KEYS[1], 't', '0')
end
redis.call('PEXPIRE', KEYS[1], ARGV[5])
return 1`;

/** Arguments: principal, and those of `sinceOf`. Returns `absent` and since when the store has kept every key for a key that is not theirs; a claim whose lease ran out is `unknown`. */
export const FIND = `
local entry = redis.call('HMGET', KEYS[1], 's', 'a', 'u', 'p', 't')
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
if not entry[1] or (entry[4] or '') ~= ARGV[1] then
  local marker = redis.call('HMGET', KEYS[2], 'since', ARGV[2])
  local lost = not marker[1] or tonumber(marker[2] or 0) < tonumber(ARGV[3]) and tonumber(marker[1]) <= tonumber(ARGV[4])
  return {'absent', lost and tostring(now) or marker[1]}
end
if entry[1] == 'answered' then return {'accepted', entry[2]} end
local leased = tonumber(entry[3] or 0) > now
if entry[1] == 'in-flight' and leased then return {'in-flight'} end
return {'unknown', entry[5] or '0', leased and '1' or '0'}`;

/** On the marker. Arguments: those of `sinceOf`. A write, as only that shows that the store accepts writes. */
export const PROBE = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
${sinceOf('KEYS[1]', 1)}
return {since, redis.call('HINCRBY', KEYS[1], ARGV[1], 1)}`;

/** On the marker. Argument: the instance's field. */
export const FORGET_INSTANCE = `return redis.call('HDEL', KEYS[1], ARGV[1])`;
