/**
 * What runs inside the store, for each key all or nothing.
 *
 * The store's marker is a hash, too: `since` is when it was found missing, and a field for each instance counts its
 * commands that claimed keys, and its probes; `evicted` is how many keys the server had dropped when it was asked last. A count below
 * what was confirmed to the instance means that the store lost claims: it was emptied, an old copy was restored, or a replica took
 * over that did not have them. Then it has kept every key only from now on.
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
 * A function that returns `since`; it sets it and writes a marker that is missing or behind. Needs `now`. Three arguments, from
 * number `at` on: the instance's field, the highest count that the store confirmed, and the last value of `since` that the instance got:
 * another one may have noticed the loss before. Keys that the server has dropped to make room since it was asked last may be of
 * this store: it has kept every key only from now on. Not every user may ask how many.
 */
const keptSince = (at: number): string => `
local function kept_since(marker)
  local known = redis.call('HMGET', marker, 'since', ARGV[${at}], 'evicted')
  local since = known[1]
  local stats = redis.pcall('INFO', 'stats')
  local evicted = type(stats) == 'string' and string.match(stats, 'evicted_keys:(%d+)') or '0'
  if evicted ~= (known[3] or '0') then
    redis.call('HSET', marker, 'evicted', evicted)
    if evicted ~= '0' then
      since = tostring(now)
      redis.call('HSET', marker, 'since', since)
    end
  end
  if not since or tonumber(known[2] or 0) < tonumber(ARGV[${at + 1}]) then
    if not since or tonumber(since) <= tonumber(ARGV[${at + 2}]) then since = tostring(now) end
    redis.call('HSET', marker, 'since', since, ARGV[${at}], ARGV[${at + 1}])
  end
  return since
end`;

export const NOW = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)`;

/** In one command: a command costs the server more than a field. */
const WRITE = `
local function write(key, fields, principal)
  if principal ~= '' then
    fields[#fields + 1] = 'p'
    fields[#fields + 1] = principal
  end
  redis.call('HSET', key, unpack(fields))
end`;

/**
 * Calls the Lua function `each` with every key from number `first` on and with its `width` arguments, which follow `shared` others.
 * The reply has one for each key; what fails for one key, `{'error', reason}`, fails for no other.
 */
export const forEachKey = (first: number, shared: number, width: number): string => {
  const args = Array.from({ length: width }, (_argument, index) => `ARGV[at + ${index + 1}]`).join(', ');
  return `
local replies = {}
for number = ${first}, #KEYS do
  local at = ${shared} + (number - ${first}) * ${width}
  local ok, reply = pcall(each, KEYS[number], ${args})
  if not ok then reply = {'error', type(reply) == 'table' and reply.err or tostring(reply)} end
  replies[#replies + 1] = reply
end
return replies`;
};

/**
 * Claims keys. The first key is the marker. Arguments: lease and time to live in milliseconds, those of `keptSince`, and for each other key:
 * fingerprint, owner, principal, and 1 when the log does not have the submission. A lease that ran out belongs to an
 * instance that died or could not report how it ended: the outcome is unknown, and the same payload may be published again when
 * the log does not have it.
 */
export const CLAIM = `${NOW}${WRITE}${keptSince(3)}
local since, count
local lease_ends = string.format('%.0f', now + ARGV[1])
local began = string.format('%.0f', now)
local function each(key, fingerprint, owner, principal, absent)
  local entry = redis.call('HMGET', key, 's', 'f', 'a', 'u', 't')
  if entry[1] then
    if entry[2] ~= fingerprint then return {'reused'} end
    if entry[1] == 'answered' then return {'accepted', entry[3]} end
    local leased = tonumber(entry[4] or 0) > now
    if entry[1] == 'in-flight' and leased then return {'in-flight'} end
    if leased or absent ~= '1' then return {'unknown', entry[5] or '0', leased and '1' or '0'} end
  end
  if not count then
    since = kept_since(KEYS[1])
    count = redis.call('HINCRBY', KEYS[1], ARGV[3], 1)
  end
  local unknown = entry[1] and '1' or '0'
  local fields = {'s', 'in-flight', 'f', fingerprint, 'o', owner, 'u', lease_ends, 'd', unknown, 't', entry[5] or began}
  write(key, fields, principal)
  redis.call('PEXPIRE', key, ARGV[2])
  return {'claimed', unknown, since, count}
end${forEachKey(2, 5, 4)}`;

/**
 * Settles keys. Arguments: time to live and lease in milliseconds, and for each key: fingerprint, owner, outcome, answer, principal. An
 * accepted submission counts whoever holds the key now, and the first one stays. Only the owner reports any other outcome, and
 * may report it twice without harm. A key of unknown outcome keeps the end of its last lease: until then, it cannot be said that
 * its record is not in the log.
 */
export const SETTLE = `${NOW}${WRITE}
local function each(key, fingerprint, owner, outcome, answer, principal)
  local entry = redis.call('HMGET', key, 's', 'f', 'o', 'd')
  local state = 'unknown'
  if outcome == 'accepted' then
    if entry[1] == 'answered' or (entry[2] and entry[2] ~= fingerprint) then return {'other'} end
    state = 'answered'
  elseif entry[3] ~= owner then
    if outcome == 'not-published' or entry[2] and entry[2] ~= fingerprint then return {'other'} end
    if entry[1] == 'in-flight' then redis.call('HSET', key, 'd', '1') end
    if entry[1] then return {'other'} end
  elseif outcome == 'not-published' and entry[4] ~= '1' then
    redis.call('DEL', key)
    return {'settled'}
  end
  write(key, {'s', state, 'f', fingerprint, 'a', answer}, principal)
  if state == 'answered' then
    redis.call('HDEL', key, 'o', 'd', 't', 'u')
  else
    redis.call('HDEL', key, 'o', 'd')
    redis.call('HSETNX', key, 'u', now + ARGV[2])
    redis.call('HSETNX', key, 't', '0')
  end
  redis.call('PEXPIRE', key, ARGV[1])
  return {'settled'}
end${forEachKey(1, 2, 5)}`;

/** Arguments: principal, and those of `keptSince`. Returns `absent` and since when the store has kept every key for a key that is not theirs; a claim whose lease ran out is `unknown`. */
export const FIND = `
local entry = redis.call('HMGET', KEYS[1], 's', 'a', 'u', 'p', 't')
${NOW}
if not entry[1] or (entry[4] or '') ~= ARGV[1] then
  local marker = redis.call('HMGET', KEYS[2], 'since', ARGV[2])
  local lost = not marker[1] or tonumber(marker[2] or 0) < tonumber(ARGV[3]) and tonumber(marker[1]) <= tonumber(ARGV[4])
  return {'absent', lost and tostring(now) or marker[1]}
end
if entry[1] == 'answered' then return {'accepted', entry[2]} end
local leased = tonumber(entry[3] or 0) > now
if entry[1] == 'in-flight' and leased then return {'in-flight'} end
return {'unknown', entry[5] or '0', leased and '1' or '0'}`;

/**
 * On the marker. Arguments: those of `keptSince`. A write, as only that shows that the store accepts writes. Returns what the marker
 * says, the time, and `maxmemory-policy`, where the user may ask.
 */
export const PROBE = `${NOW}${keptSince(1)}
local since = kept_since(KEYS[1])
local memory = redis.pcall('INFO', 'memory')
local policy = type(memory) == 'string' and string.match(memory, 'maxmemory_policy:([%w-]+)') or ''
return {since, redis.call('HINCRBY', KEYS[1], ARGV[1], 1), string.format('%.0f', now), policy}`;

/** On the marker. Argument: the instance's field. */
export const FORGET_INSTANCE = `return redis.call('HDEL', KEYS[1], ARGV[1])`;
