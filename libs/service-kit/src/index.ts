export { newAjv } from './ajv.ts';
export { type Clock, systemClock } from './clock.ts';
export { ConfigError, readConfig } from './config.ts';
export { createDrain, type Drain } from './drain.ts';
export { serviceEnv, type ServiceConfig } from './environment.ts';
export type { Readiness } from './management.ts';
export { createMetrics, type Metrics } from './metrics.ts';
export {
  type ApiDescription,
  type ApiOperation,
  type ApiResponse,
  OPEN_API_CONTENT_TYPE,
  openApiDocument,
  refusalResponses,
} from './open-api.ts';
export { openApiRoute } from './open-api-route.ts';
export { type RenderedProblem, type RenderProblem, renderProblemJson } from './problem-reply.ts';
export { defineRefusals, kitRefusals, Refusal, type RefusalKind, type RefusalOptions } from './refusal.ts';
export { run, type RunOptions, startService } from './run.ts';
export { createService, type Service, type ServiceOptions } from './service.ts';
