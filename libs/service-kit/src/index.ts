export { bearerToken, principalOfToken } from './http/access-tokens/bearer-token.ts';
export {
  type ApiKey,
  type ApiKeys,
  digestOfToken,
  parseApiKeyFile,
  parseTokenFile,
  parseTokens,
  type TokenDigests,
} from './http/access-tokens/token-digests.ts';
export { newAjv } from './http/ajv.ts';
export { asciiJson } from './http/ascii-json.ts';
export { apiReference, routesOf } from './http/api-reference/api-reference.ts';
export {
  type ApiResponses,
  apiResponse,
  yamlSchema,
  type ProblemFormat,
  standardProblemFormat,
} from './http/api-reference/api-responses.ts';
export {
  clientAddressEnv,
  clientAddressViolations,
  clientNetwork,
  clientNetworks,
  type ClientAddressOf,
  createClientAddress,
  createIsFromTrustedProxy,
  createIsTrustedProxy,
} from './http/client-address.ts';
export { OPEN_HEADERS, preflightRoute } from './http/cross-origin.ts';
export { type Tracing } from './http/request-spans.ts';
export { livenessProbe, type Readiness, readinessProbe } from './http/health-probes.ts';
export { proxyProtocolEnv, proxyProtocolViolations } from './http/proxy-protocol/proxy-protocol.ts';
export { escapeMarkup, withoutControls } from './http/markup.ts';
export { chooseEncoding, type Encoding } from './http/accept-encoding.ts';
export { negotiate } from './http/negotiation.ts';
export { declareProblems } from './http/problems/declared-problems.ts';
export {
  defineProblems,
  commonProblems,
  ProblemError,
  type ProblemType,
  type ProblemOptions,
} from './http/problems/problem-error.ts';
export {
  plainProblemPage,
  problemMarkup,
  type ProblemPage,
  wayToRoot,
  withProblemPages,
} from './http/problems/problem-page.ts';
export { type RenderProblem, renderProblemJson } from './http/problems/problem-reply.ts';
export {
  isRedisUrl,
  parseRateLimit,
  PERIODS_MS,
  type RateLimit,
  rateLimitEnv,
  rateLimitViolations,
} from './http/rate-limit/rate-limit-setting.ts';
export {
  RATE_LIMIT_HEADERS,
  RateLimiter,
  rateLimitHook,
  type RateLimitStore,
} from './http/rate-limit/rate-limiter.ts';
export { createService, ignoreBody, type Service, type ServiceOptions } from './http/service.ts';

export { type Clock, systemClock } from './clock.ts';
export { ConfigError, httpUrl, readConfig } from './process/config.ts';
export { serviceEnv, shutdownViolations } from './process/environment.ts';
export { createMetrics, type Metrics } from './process/metrics.ts';
export { run, startService } from './process/run.ts';
export { currentSecret } from './process/secrets.ts';
export { secret } from './secret.ts';
export { StartupError } from './process/startup-error.ts';
export { telemetryEnv } from './process/telemetry-environment.ts';
export { openTelemetry } from './process/telemetry.ts';
export { Poller } from './process/poller.ts';
export { systemTimers, type Timer, type Timers } from './process/timers.ts';
export { type NamedFile, type Reloadable, UnusableFiles, WatchedFiles } from './process/watched-files.ts';
export { watchTokenFile } from './process/watched-token-file.ts';
