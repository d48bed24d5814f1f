import { SCHEMA_VERSION } from '../../schemas/envelope.ts';

/** The members every answer begins with. */
export const envelope = (lastModified: Date) => {
  const instant = `${lastModified.toISOString().slice(0, 19)}Z`;
  return { schema_version: SCHEMA_VERSION, generated_at: instant, last_modified: instant } as const;
};
