import type { FastifyRequest } from 'fastify';
import type { OperationSchema } from '../../application/operation-schema.ts';
import { exampleOperation, OPERATIONS } from '../../domain/operation.ts';

const BUILT_IN_SAMPLE = OPERATIONS.map((kind) => exampleOperation({ operation: JSON.stringify(kind) }));

/** Operations that a schema takes, as JSON. */
export const sampleOf = (schema: OperationSchema | undefined): string =>
  `[\n  ${(schema?.own?.examples ?? BUILT_IN_SAMPLE).join(',\n  ')}\n]`;

/** What the example of a request depends on. */
export interface ExampleFacts {
  readonly config: { readonly IDEMPOTENCY_KEY_REQUIRED: boolean };
  readonly isAuthenticated: boolean;
  /** the first one is shown */
  readonly schemas: readonly OperationSchema[];
}

/** What can be pasted into a shell without a surprise; a Host header may hold more. */
const HOST = /^[\w.:[\]-]+$/;

/** Submits a sample to where a request went. */
export const submitCommand = (
  { config, isAuthenticated, schemas }: ExampleFacts,
  { host, protocol }: Pick<FastifyRequest, 'host' | 'protocol'>,
): string =>
  [
    `curl ${protocol}://${HOST.test(host) ? host : 'localhost'}/operations`,
    `-H 'content-type: application/json'`,
    ...(isAuthenticated ? ['-H "authorization: Bearer $TOKEN"'] : []),
    ...(config.IDEMPOTENCY_KEY_REQUIRED ? ['-H "idempotency-key: $(uuidgen)"'] : []),
    `-d '${sampleOf(schemas[0]).replaceAll("'", "'\\''")}'`,
  ].join(' \\\n  ');
