-- Three operations under a key of its own each.
local threads = 0
function setup(thread)
  thread:set("thread", threads)
  threads = threads + 1
end

function init()
  local source = io.open("/proc/sys/kernel/random/uuid")
  prefix = source:read() .. "-" .. thread .. "-"
  source:close()
  count = 0
  wrk.method = "POST"
  wrk.headers["content-type"] = "application/json"
  wrk.body = '[{"operation":"buy","unit-cost":10.00,"quantity":10000},'
    .. '{"operation":"sell","unit-cost":20.00,"quantity":5000},'
    .. '{"operation":"sell","unit-cost":5.00,"quantity":5000}]'
end

function request()
  count = count + 1
  wrk.headers["idempotency-key"] = prefix .. count
  return wrk.format()
end
