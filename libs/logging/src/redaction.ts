/** Members that never reach a log, wherever a careless caller may have put them. */
export const REDACTED_PATHS = [
  'authorization',
  'password',
  'token',
  'headers.authorization',
  'headers.cookie',
  'headers["x-api-key"]',
  'headers["idempotency-key"]',
  'req.headers.authorization',
  'req.headers.cookie',
  'req.headers["x-api-key"]',
  'req.headers["idempotency-key"]',
  '*.password',
  '*.token',
  '*.sasl.password',
  '*.sasl.token',
];
