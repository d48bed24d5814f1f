import { Ajv2020 } from 'ajv/dist/2020.js';
import { UnusableSchema } from './unusable-schema.ts';

/** What the meta-schema of 2020-12 says of a document. @throws UnusableSchema */
export const checkMetaSchema = (document: object): void => {
  const ajv = new Ajv2020({ allErrors: false, strict: false, logger: false, formats: { regex: true } });
  if (ajv.validateSchema(document)) return;
  const [error] = ajv.errors ?? [];
  throw new UnusableSchema(error?.instancePath ?? '', error?.message ?? 'is not JSON Schema 2020-12');
};
