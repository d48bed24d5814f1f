import { Ajv, type Options } from 'ajv';
import formats from 'ajv-formats';

// ajv-formats is CommonJS: bundlers and Node disagree about its default export.
const addFormats = ('default' in formats ? formats.default : formats) as unknown as (ajv: Ajv) => Ajv;

/** An Ajv that reports every error and changes nothing unless the options say so. */
export const newAjv = (options: Options = {}): Ajv => {
  const ajv = new Ajv({ allErrors: true, strict: true, strictTypes: false, discriminator: true, ...options });
  addFormats(ajv);
  return ajv;
};
