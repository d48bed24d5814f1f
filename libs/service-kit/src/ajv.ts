import { Ajv, type Options } from 'ajv';
import formats from 'ajv-formats';

// ajv-formats is CommonJS: bundlers and Node disagree about its default export.
const addFormats = ('default' in formats ? formats.default : formats) as unknown as (ajv: Ajv) => Ajv;

/**
 * An Ajv that reports every error and changes nothing unless the options say so. Schemas are not checked against the
 * meta-schema of JSON Schema: TypeBox writes them, strict mode rejects unknown keywords, and compiling the meta-schema
 * would take a tenth of a service's start.
 */
export const newAjv = (options: Options = {}): Ajv => {
  const ajv = new Ajv({
    allErrors: true,
    strict: true,
    strictTypes: false,
    discriminator: true,
    meta: false,
    validateSchema: false,
    ...options,
  });
  addFormats(ajv);
  return ajv;
};
