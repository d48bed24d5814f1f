import type { LocationRecord } from '../domain/fields.ts';
import type { Attribution } from './attribution.ts';
import { escapeMarkup } from './xml.ts';

/** What `/` tells: who answers, where the caller is, what can be asked, who made the data. */
export interface Index {
  readonly service: string;
  readonly version: string;
  /** the caller's record, or the reason why there is none */
  readonly you: LocationRecord | string;
  readonly paths: readonly string[];
  readonly attribution: Attribution | null;
  readonly notice: string;
}

/** The same for a person. Without script, style sheet or image: nothing is fetched from anywhere. */
export function indexPage({ service, version, you, paths, attribution, notice }: Index): string {
  const place =
    typeof you === 'string'
      ? `<p>${escapeMarkup(you)}</p>`
      : `<dl>${Object.entries(you)
          .map(([name, value]) => `<dt>${name}<dd>${escapeMarkup(String(value ?? '–'))}`)
          .join('')}</dl>`;
  // The licence of DB-IP Lite asks for a link on every page that shows results.
  const credit = attribution
    ? `<p><a href='${escapeMarkup(attribution.url)}'>${escapeMarkup(attribution.text)}</a></p>`
    : '';
  return `<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${service}</title>
<h1>Where you are</h1>
${place}
<p>${escapeMarkup(notice)}</p>
<h2>Ask</h2>
<ul>${paths.map((path) => `<li><code>${escapeMarkup(path)}</code>`).join('')}</ul>
${credit}<p>${service} ${escapeMarkup(version)}</p>
</html>
`;
}
