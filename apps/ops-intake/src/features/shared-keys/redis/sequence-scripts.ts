import { forEachKey, NOW } from './scripts.ts';

/**
 * What runs inside the store, for each series all or nothing. A hash for each series:
 *
 * | field | meaning |
 * | ----- | ------- |
 * | n     | the expected number |
 * | h     | submission id of who has it; absent while it is free, and so are the others below |
 * | o     | owner of the last attempt |
 * | u     | when the lease of the last attempt ends, milliseconds of the store's clock |
 * | t     | when the first attempt began, milliseconds of the store's clock |
 *
 * Numbers are stored as the service writes them: Lua would round the text of a large one.
 */

/** Arguments: lease and time to live in milliseconds, and for each series: number, holder, owner, and the absent holder or nothing. */
export const TAKE = `${NOW}
local function each(key, number, holder, owner, absent)
  local entry = redis.call('HMGET', key, 'n', 'h', 'u', 't')
  local expected, held = entry[1], entry[2]
  if expected then
    local leased = held and tonumber(entry[3]) > now
    if held and held ~= holder and (held ~= absent or leased) then
      return {'pending', expected, held, entry[4], leased and '1' or '0'}
    end
    if expected ~= number then return {'out-of-sequence', expected} end
  end
  redis.call('HSET', key, 'n', number, 'h', holder, 'o', owner, 'u', now + ARGV[1])
  if entry[2] ~= holder then redis.call('HSET', key, 't', now) end
  redis.call('PEXPIRE', key, ARGV[2])
  return {'taken'}
end${forEachKey(1, 2, 4)}`;

/** Arguments: time to live in milliseconds, and for each series: number, the one after it, owner, outcome. */
export const SETTLE_NUMBER = `
local function each(key, number, following, owner, outcome)
  local entry = redis.call('HMGET', key, 'n', 'o')
  if outcome == 'accepted' then
    if entry[1] and tonumber(entry[1]) > tonumber(number) then return {'other'} end
    redis.call('HSET', key, 'n', following)
    redis.call('PEXPIRE', key, ARGV[1])
  elseif entry[1] ~= number or entry[2] ~= owner then
    return {'other'}
  end
  redis.call('HDEL', key, 'h', 'o', 'u', 't')
  return {'settled'}
end${forEachKey(1, 1, 4)}`;
