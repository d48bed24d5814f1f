-- Three operations, case 2 of the capital-gains challenge: 170 bytes.
wrk.method = "POST"
wrk.headers["content-type"] = "application/json"
wrk.body = '[{"operation":"buy","unit-cost":10.00,"quantity":10000},'
  .. '{"operation":"sell","unit-cost":20.00,"quantity":5000},'
  .. '{"operation":"sell","unit-cost":5.00,"quantity":5000}]'
