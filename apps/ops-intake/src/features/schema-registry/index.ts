import { Type } from '@sinclair/typebox';
import { ConfigError, StartupError } from '@workspace/service-process';
import { option } from '../../extension-points.ts';
import { recordSchema } from '../../http/contract/async-api.ts';
import type { TopicParts } from '../../http/contract/topic-parts.ts';
import { addSchemaIds } from './schema-ids.ts';
import { idsOfSchemas, SchemaNotRegistered } from './schema-registry.ts';
import { fallbackIds, settings, subjectOf, violations } from './settings.ts';

/** What AsyncAPI says of the id of a schema. @param framing whether it is in front of the value, too */
export const schemaIdParts = (framing: boolean): TopicParts => ({
  headers: {
    ce_schemaid: Type.String({
      pattern: '^[0-9]{1,10}$',
      description: 'id of the schema of the value in the schema registry',
    }),
  },
  exampleHeaders: { ce_schemaid: '7' },
  messageBinding: framing
    ? { schemaIdLocation: 'payload', schemaIdPayloadEncoding: 'confluent' }
    : { schemaIdLocation: 'header' },
});

/** Registers the schemas of records, which then carry their ids. */
export const schemaRegistry = option({
  name: 'schema-registry',
  settings,
  violations,
  open: (config, { schemas, logger }) => {
    const { SCHEMA_REGISTRY_URL: url, SCHEMA_REGISTRY_USERNAME: username } = config;
    const { SCHEMA_REGISTRY_PASSWORD: password = '', SCHEMA_REGISTRY_FRAMING: framing } = config;
    if (url === undefined) return undefined;
    const limits = { operations: config.MAX_OPERATIONS, fractionDigits: config.MAX_FRACTION_DIGITS };
    const fallback = fallbackIds(config);
    const names = schemas.map((schema) => schema.name);
    if (![...fallback.keys()].every((name) => names.includes(name))) {
      throw new ConfigError([`SCHEMA_REGISTRY_FALLBACK_IDS must name schemas in use: ${names.join(', ')}`]);
    }
    const wanted = schemas.map((schema) => ({
      subject: subjectOf(config, schema.type, schemas.length),
      schema: recordSchema(schema, limits),
      fallbackId: fallback.get(schema.name),
    }));
    const registered = idsOfSchemas(wanted, {
      url,
      login: username === undefined ? undefined : { username, password },
      register: config.SCHEMA_REGISTRY_REGISTER,
      waitMs: config.SCHEMA_REGISTRY_TIMEOUT_MS,
      logger,
    }).catch((error: unknown) => {
      if (error instanceof SchemaNotRegistered)
        throw new StartupError(`SCHEMA_REGISTRY_URL: ${error.message}`);
      throw error;
    });
    return registered.then((list) => {
      const ids = new Map(schemas.map(({ type }, index) => [type, list[index]!]));
      return { log: (log) => addSchemaIds(log, { ids, framing }), topic: schemaIdParts(framing) };
    });
  },
});
