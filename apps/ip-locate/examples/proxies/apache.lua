-- Asks ip-locate about the visitor of a request, and gives the request its x-geo-… headers.
local http = require("socket.http")
local service = "http://127.0.0.1:3002"
http.TIMEOUT = 0.5

-- Returns the status of the answer, or nil when there is none.
local function ask(r, path)
  for name in pairs(r:headers_in_table()) do
    if name:lower():find("^x[-_]geo[-_]") then r.headers_in[name] = nil end
  end
  -- Apache would remove the headers that Connection names, also those that are set here.
  local kept = {}
  for name in (r.headers_in["Connection"] or ""):gmatch("[^%s,]+") do
    if not name:lower():find("^x[-_]") then kept[#kept + 1] = name end
  end
  r.headers_in["Connection"] = kept[1] and table.concat(kept, ", ") or nil
  local forwarded = r.headers_in["X-Forwarded-For"]
  local chain = (forwarded and forwarded ~= "") and forwarded .. ", " .. r.useragent_ip or r.useragent_ip
  -- The end, without bytes that make a head invalid.
  chain = chain:match("[ -~]*$"):sub(-4000)
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

-- Only 200 admits a visitor.
local function decide(status)
  if status == 200 then return apache2.DECLINED end
  return status == 403 and 403 or 503
end

function informs(r)
  return decide(ask(r, "/auth?fields=country,city") or 200)
end

function decides(r)
  return decide(ask(r, "/auth?fields=country,city&deny=KP"))
end
