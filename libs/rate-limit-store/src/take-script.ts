/**
 * Takes tokens from a client's bucket, in one step. A key holds the moment at which its bucket is full again, in
 * milliseconds of the store's clock, and expires then: a missing key is a full bucket.
 *
 * Arguments: milliseconds that a token takes to refill; milliseconds that an empty bucket takes; tokens to take, 0 to ask only.
 * A thousandth of a token may be missing: at 13 digits, milliseconds have rounding errors.
 * Returns the balance as text: tokens left, or minus the tokens that are missing, when nothing is taken.
 */
export const TAKE = `
local time = redis.call('TIME')
local now = time[1] * 1000 + time[2] / 1000
local full = math.max(now, tonumber(redis.call('GET', KEYS[1]) or now)) + ARGV[1] * ARGV[3]
local balance = (now + ARGV[2] - full) / ARGV[1]
if tonumber(ARGV[3]) > 0 and balance > -0.001 then
  redis.call('SET', KEYS[1], string.format('%.17g', full), 'PX', math.ceil(full - now))
end
return string.format('%.17g', balance)`;
