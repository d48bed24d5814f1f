import { Ajv, type Options } from 'ajv';
import formats from 'ajv-formats';

// ajv-formats is CommonJS: bundlers and Node disagree on where its default export is.
const addFormats = ('default' in formats ? formats.default : formats) as unknown as (ajv: Ajv) => Ajv;

/** An Ajv that reports every fault and changes nothing it is not told to change. */
export const newAjv = (options: Options = {}): Ajv => {
  const ajv = new Ajv({ allErrors: true, strict: true, strictTypes: false, discriminator: true, ...options });
  addFormats(ajv);
  return ajv;
};
