-- A new public address for every request: four of five IPv4, the others IPv6.
local first = {}
for octet = 1, 223 do
  if not ({[10]=1, [100]=1, [127]=1, [169]=1, [172]=1, [192]=1, [198]=1, [203]=1})[octet] then
    first[#first + 1] = octet
  end
end

function init()
  math.randomseed(os.time())
end

function address()
  if math.random() < 0.8 then
    return string.format("%d.%d.%d.%d",
      first[math.random(#first)], math.random(0, 255), math.random(0, 255), math.random(0, 255))
  end
  return string.format("2a0%x:%x:%x::%x",
    math.random(0, 15), math.random(1, 65535), math.random(1, 65535), math.random(1, 65535))
end

function request()
  return wrk.format("GET", "/" .. address() .. "/json")
end
