-- Asks ip-locate about the visitor of a request, and gives the request its x-geo-… headers. The answer's status is in
-- txn.geo_status: 0 or 5xx when there is none.
local service = "http://127.0.0.1:3002"
local timeout_ms = 125 -- for each of four attempts

core.register_action("geo", { "http-req" }, function(txn, path)
  local forwarded = {}
  local values = txn.http:req_get_headers()["x-forwarded-for"] or {}
  for index = 0, #values do
    if values[index] then forwarded[#forwarded + 1] = values[index] end
  end
  forwarded[#forwarded + 1] = txn.f:src()
  -- The end, without bytes that make a head invalid.
  local chain = table.concat(forwarded, ", "):match("[ -~]*$"):sub(-4000)
  local answer = core.httpclient():get({
    url = service .. path,
    headers = { ["x-forwarded-for"] = { chain } },
    timeout = timeout_ms,
  })
  txn:set_var("txn.geo_status", answer and answer.status or 0)
  for name, sent in pairs(answer and answer.headers or {}) do
    if name:find("^x%-geo%-") and sent[0] ~= "" then txn.http:req_set_header(name, sent[0]) end
  end
end, 1)
