import { Type } from '@sinclair/typebox';
import { ConfigError } from '@workspace/service-process';
import type { OperationSchema } from '../../application/operation-schema.ts';
import { type Opened, option } from '../../extension-points.ts';
import { optionalText } from '../../settings.ts';
import { readerWithSchemas } from './operation-schema-header.ts';
import { submissionSchemaOf } from './own-submission-schema.ts';
import { ownSchemaProblems as problems } from './problems.ts';
import { UnusableSchema } from './unusable-schema.ts';

/** @param all of which clients choose, at least one */
export const givenSchemas = (all: readonly OperationSchema[]): Opened => ({
  schemas: {
    all,
    header: Type.Optional(
      Type.Unsafe<string>({
        type: 'string',
        enum: all.map(({ name }) => name),
        description: `the schema that the operations follow; ${all[0]?.name} when it is left out`,
      }),
    ),
    bodyOf: (limits) => submissionSchemaOf(all, limits),
    readerOf: (limits) => readerWithSchemas(limits, all),
  },
  submissionProblems: Object.values(problems),
});

/** Operations follow JSON Schemas of the operator's own. */
export const ownSchemas = option({
  name: 'own-schemas',
  settings: {
    OPERATION_SCHEMA_FILE: optionalText(
      'JSON Schemas of operations, comma-separated files, of which clients choose by `Operation-Schema`, see [Fields of your own](own-fields.md); `built-in` is the one with three members; that one alone when unset',
    ),
  },
  problems,
  open: (config, { logger }) => {
    const files = config.OPERATION_SCHEMA_FILE?.split(',').map((file) => file.trim());
    if (files === undefined) return undefined;
    const limits = { operations: config.MAX_OPERATIONS, fractionDigits: config.MAX_FRACTION_DIGITS };
    const read = async (): Promise<Opened> => {
      const { readSchemaFiles } = await import('./schema-files.ts');
      const schemas = await readSchemaFiles(files, limits).catch((error: Error) => {
        if (error instanceof UnusableSchema)
          throw new ConfigError([`OPERATION_SCHEMA_FILE: ${error.message}`]);
        throw error;
      });
      logger.info({ schemas: schemas.map(({ name }) => name) }, 'operations follow OPERATION_SCHEMA_FILE');
      return givenSchemas(schemas);
    };
    return read();
  },
});
