-- A thousand operations: 54 kB.
local operations = {}
for number = 1, 1000 do
  operations[number] = '{"operation":"buy","unit-cost":10.00,"quantity":100}'
end
wrk.method = "POST"
wrk.headers["content-type"] = "application/json"
wrk.body = "[" .. table.concat(operations, ",") .. "]"
