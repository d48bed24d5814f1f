-- A hundred addresses, again and again.
local paths = {}
for i = 1, 100 do
  paths[i] = string.format("/%d.%d.%d.8/json", 11 + i % 80, (i * 37) % 256, (i * 91) % 256)
end
local at = 0

function request()
  at = at % 100 + 1
  return wrk.format("GET", paths[at])
end
