import type { TProperties } from '@sinclair/typebox';

/** Variables that do nothing unless another one is set: `readConfig` rejects them then, as an operator would believe in them. */
export const onlyWith = <Settings extends TProperties>(name: string, settings: Settings): Settings =>
  Object.fromEntries(
    Object.entries(settings).map(([own, schema]) => [own, { ...schema, onlyWith: name }]),
  ) as TProperties as Settings;
