import type { Option } from './extension-points.ts';
import { auditTrail } from './features/audit-trail/index.ts';
import { bridge } from './features/bridge/index.ts';
import { bulkStreams } from './features/bulk-streams/index.ts';
import { clientCertificates } from './features/client-certificates/index.ts';
import { operatorConsole } from './features/console/index.ts';
import { jwt } from './features/jwt/index.ts';
import { kafkaSecurity } from './features/kafka-security/index.ts';
import { ownSchemas } from './features/own-schemas/index.ts';
import { rateLimit } from './features/rate-limit/index.ts';
import { rejectedTopic } from './features/rejected-topic/index.ts';
import { schemaRegistry } from './features/schema-registry/index.ts';
import { sharedKeys } from './features/shared-keys/index.ts';
import { tokens } from './features/tokens/index.ts';
import { traces } from './features/traces/index.ts';

/**
 * The options of the service, in the order in which they open, are asked and wrap each other; they close in reverse. Delete a
 * line here, its import and its folder, and the option is gone.
 */
export const options: readonly Option[] = [
  kafkaSecurity,
  ownSchemas,
  sharedKeys,
  clientCertificates,
  tokens,
  jwt,
  rateLimit,
  auditTrail,
  schemaRegistry,
  traces,
  rejectedTopic,
  bulkStreams,
  bridge,
  operatorConsole,
];
