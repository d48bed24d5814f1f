import { type Static, Type } from '@sinclair/typebox';
import { type LocationRecord, RecordSchema } from '../representations/fields.ts';
import type { Attribution } from '../representations/attribution.ts';
import { escapeMarkup } from '../representations/xml.ts';

/** What `/` shows: the service, where the caller is, the paths, who made the data. */
export const IndexSchema = Type.Object(
  {
    service: Type.String(),
    version: Type.String(),
    you: Type.Unsafe<LocationRecord | string>({
      anyOf: [RecordSchema, { type: 'string' }],
      description: "the caller's record, or why there is none",
    }),
    paths: Type.Array(Type.String()),
    attribution: Type.Unsafe<Attribution | null>({
      anyOf: [Type.Object({ text: Type.String(), url: Type.String({ format: 'uri' }) }), { type: 'null' }],
    }),
    notice: Type.String(),
  },
  { $id: 'Index' },
);
export type Index = Static<typeof IndexSchema>;

/** The index as a page. It has no script, style sheet or image: a browser fetches nothing else. */
export function indexPage({ service, version, you, paths, attribution, notice }: Index): string {
  const record =
    typeof you === 'string'
      ? `<p>${escapeMarkup(you)}</p>`
      : `<dl>${Object.entries(you)
          .map(([name, value]) => `<dt>${name}<dd>${escapeMarkup(String(value ?? '–'))}`)
          .join('')}</dl>`;
  // The licence of DB-IP Lite requires a link on every page that shows results.
  const credit = attribution
    ? `<p><a href='${escapeMarkup(attribution.url)}'>${escapeMarkup(attribution.text)}</a></p>`
    : '';
  return `<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${service}</title>
<h1>Where you are</h1>
${record}
<p>${escapeMarkup(notice)}</p>
<h2>Paths</h2>
<ul>${paths.map((path) => `<li><code>${escapeMarkup(path)}</code>`).join('')}</ul>
${credit}<p>${service} ${escapeMarkup(version)}</p>
</html>
`;
}
