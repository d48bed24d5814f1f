-- Asks ip-locate about the visitor of a request, and gives the request its x-geo-… headers.
local http = require("socket.http")
local service = "http://127.0.0.1:3002"
http.TIMEOUT = 0.5

-- Returns the status of the answer, or nil when there is none.
local function ask(r, path)
  for name in pairs(r:headers_in_table()) do
    if name:lower():find("^x[-_]geo[-_]") then r.headers_in[name] = nil end
  end
  local forwarded = r.headers_in["X-Forwarded-For"]
  local chain = (forwarded and forwarded ~= "") and forwarded .. ", " .. r.useragent_ip or r.useragent_ip
  local ok, status, headers = http.request({
    url = service .. path,
    headers = { ["X-Forwarded-For"] = chain },
  })
  if not ok then return nil end
  for name, value in pairs(headers) do
    if name:find("^x%-geo%-") and value ~= "" then r.headers_in[name] = value end
  end
  return status
end

function informs(r)
  ask(r, "/auth?fields=country,city")
  return apache2.DECLINED
end

function decides(r)
  local status = ask(r, "/auth?fields=country,city&deny=KP")
  if status == 200 then return apache2.DECLINED end
  return status == 403 and 403 or 503
end
