-- The addresses of random.lua, as echoip is asked.
dofile(debug.getinfo(1, "S").source:match("@(.*/)") .. "random.lua")

function request()
  return wrk.format("GET", "/json?ip=" .. address())
end
