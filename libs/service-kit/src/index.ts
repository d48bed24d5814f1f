export { chooseEncoding, type Encoding } from './accept-encoding.ts';
export { newAjv } from './ajv.ts';
export {
  apiResponse,
  type ApiResponses,
  type ProblemFormat,
  problemResponses,
  standardProblemFormat,
  yamlSchema,
} from './api-responses.ts';
export { asciiJson } from './ascii-json.ts';
export { OPEN_HEADERS, preflightRoute } from './cross-origin.ts';
export { livenessProbe, type Readiness, readinessProbe } from './health-probes.ts';
export { escapeMarkup, withoutControls } from './markup.ts';
export { negotiate } from './negotiation.ts';
export { createRequestId } from './request-id.ts';
export type { Tracing } from './request-spans.ts';
export {
  beginConnectionsWith,
  createService,
  ignoreBody,
  limitConnections,
  listen,
  type RequestMetrics,
  type Service,
  type ServiceOptions,
} from './service.ts';
