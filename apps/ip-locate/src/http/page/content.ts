import { parseAddress } from '@workspace/ip-addresses';
import type { Problem } from '@workspace/schemas';
import { escapeMarkup } from '@workspace/service-kit';
import { problemMarkup } from '@workspace/service-kit/problems';
import type { Language } from '../../domain/language.ts';
import { reservedRange } from '../../domain/special-ranges.ts';
import type { FieldValues } from '../lookup/fields.ts';
import { csvCell } from '../lookup/formats/csv.ts';
import { fill, type PageTexts, SECTIONS } from './texts/index.ts';
import type { worldMap } from './world-map.ts';

/** One address that the page shows: its location, or the problem with it. */
export type Entry =
  { readonly ip: string; readonly values: FieldValues } | { readonly ip: string; readonly problem: string };

/** What the page is about. */
export type Subject =
  | {
      readonly type: 'caller';
      readonly entry: Entry;
      readonly reserved: boolean;
      /** whether the caller's address is one that TRUST_PROXY lists */
      readonly trusted: boolean;
    }
  | { readonly type: 'address'; readonly entry: Entry }
  | { readonly type: 'list'; readonly entries: readonly Entry[]; readonly omitted: number }
  /** of a path that is no lookup */
  | { readonly type: 'problem'; readonly problem: Problem; readonly url: string };

export type DrawMap = typeof worldMap;

/** Makes the address of a link from its path below the root, which carries on what the page was asked for with. */
export type LinkTo = (path: string) => string;

/** An address that everyone knows, to try the service with. */
export const EXAMPLE = '8.8.8.8';

/** Whether a page is about a problem, which is described in English. */
export const isProblem = (subject: Subject): boolean =>
  subject.type === 'problem' ||
  ('entry' in subject &&
    'problem' in subject.entry &&
    !isLoopback(subject.entry.ip) &&
    !(subject.type === 'caller' && subject.reserved));

/** What a page says of its subject. */
export interface Content {
  /** text */
  readonly title: string;
  /** the title without it, markup */
  readonly heading?: string;
  readonly content: string;
  /** what is known of an address, and its map */
  readonly details?: readonly [values: string, map: string];
  /** the address in the examples */
  readonly ip?: string;
}

interface Context {
  readonly texts: PageTexts;
  readonly language: Language;
  readonly linkTo: LinkTo;
  readonly drawMap: DrawMap | undefined;
}

export const contentOf = (subject: Subject, context: Context): Content => {
  const { texts, linkTo } = context;
  if (subject.type === 'list') return listContent(subject.entries, subject.omitted, context);
  if (subject.type === 'problem')
    return {
      title: subject.problem.title,
      heading: problemMarkup(subject.problem, subject.url),
      content: '',
    };
  const { entry, type } = subject;
  const ip = code(entry.ip);
  if ('values' in entry) {
    const place = placeName(entry.values);
    const lead = type === 'caller' ? fill(texts.yourAddress, { ip }) : place && escapeMarkup(place);
    return {
      title: type === 'caller' ? (place ?? texts.unknown) : entry.ip,
      content: `<p class="lead">${lead ?? texts.noRecord}</p>`,
      details: [detailsOf(entry.values, texts), mapOf(entry.values, context)],
      ip: entry.ip,
    };
  }
  const example = `<a href="${linkTo(`?ip=${EXAMPLE}`)}">${EXAMPLE}</a>`;
  const tryAnother = `<p>${fill(texts.tryAnother, { ip: example })}</p>`;
  // For a private caller, unless TRUST_PROXY lists the address already.
  const untrusted =
    type === 'caller' && !subject.trusted
      ? `\n<p>${fill(texts.untrustedProxy, { setting: code('TRUST_PROXY') })}</p>`
      : '';
  if (isLoopback(entry.ip)) {
    return {
      title: texts.ownMachine,
      content: `<p class="lead">${fill(texts.loopback, { ip })}</p>
<section class="card">${tryAnother}${untrusted}</section>`,
      ...(type === 'address' && { ip: entry.ip }),
    };
  }
  if (type === 'caller' && subject.reserved) {
    return {
      title: texts.private,
      content: `<p class="lead">${fill(texts.privateAddress, { ip })}</p>
<section class="card"><p>${texts.privateIsNormal}</p>${tryAnother}${untrusted}</section>`,
    };
  }
  return {
    title: type === 'caller' ? 'Where are you?' : 'No location',
    ...(type === 'address' && {
      heading: problemMarkup(
        { type: 'about:blank', title: 'No location', status: 400, detail: entry.problem },
        '',
      ),
    }),
    content: type === 'caller' ? notice(entry.problem) : '',
    // What is no address could be anything, and the example is for a shell.
    ...(type === 'address' && /^[\da-f.:]+$/i.test(entry.ip) && { ip: entry.ip }),
  };
};

const code = (text: string): string => `<code>${escapeMarkup(text)}</code>`;

/** Whether a text is a loopback address: what visitors type may be anything. */
const isLoopback = (ip: string): boolean => {
  const address = parseAddress(ip);
  return address !== undefined && reservedRange(address) === 'loopback';
};

const notice = (text: string): string => `<p class="notice bad" role="alert">${escapeMarkup(text)}</p>`;

/** City, region and country; undefined when none is known. */
const placeName = ({ city, region, country_name: country }: FieldValues): string | undefined => {
  const parts = [...new Set([city, region, country].filter((part) => typeof part === 'string'))];
  return parts.length === 0 ? undefined : parts.join(', ');
};

const mapOf = (values: FieldValues, { texts, language, drawMap }: Context): string => {
  const { latitude, longitude, accuracy_radius: accuracy } = values;
  if (!drawMap || typeof latitude !== 'number' || typeof longitude !== 'number') return '';
  const label = fill(texts.map, { place: placeName(values) ?? texts.place });
  const at = `${latitude}/${longitude}`;
  return `${drawMap(latitude, longitude, label, typeof accuracy === 'number' ? accuracy : undefined, language)}
<p><a href="https://www.openstreetmap.org/?mlat=${latitude}&amp;mlon=${longitude}#map=9/${at}">${texts.streets}</a></p>`;
};

/** What is known of an address, in sections; empty when nothing is. */
const detailsOf = (values: FieldValues, texts: PageTexts): string => {
  const sections = Object.entries(SECTIONS).map(([section, names]) => {
    const rows = names.flatMap((name) => {
      const value = values[name] ?? null;
      return value === null
        ? []
        : [`<dt>${texts.fields[name]}</dt><dd>${escapeMarkup(readable(value, texts))}</dd>`];
    });
    const heading = texts.sections[section as keyof typeof SECTIONS];
    return rows.length > 0 ? `<h2>${heading}</h2><dl>${rows.join('')}</dl>` : '';
  });
  const known = sections.join('');
  return known && `<section class="card">${known}</section>`;
};

/** `37.4, -122.1`, `-08:00`, `yes` */
const readable = (value: string | number | boolean, { yes, no }: PageTexts): string => {
  if (typeof value === 'boolean') return value ? yes : no;
  return String(value)
    .replace(/,(?=\S)/g, ', ')
    .replace(/^([+-]\d\d)(\d\d)$/, '$1:$2');
};

const listContent = (entries: readonly Entry[], omitted: number, { texts, linkTo }: Context): Content => {
  const rows = entries.map((entry) => {
    const ip = code(entry.ip);
    if ('problem' in entry)
      return `<tr><td>${ip}</td><td colspan="3" lang="en">${escapeMarkup(entry.problem)}</td></tr>`;
    const { city, region, country_name: country } = entry.values;
    const cells = [city, region, country].map((value) => `<td>${escapeMarkup(String(value ?? '–'))}</td>`);
    return `<tr><td><a href="${linkTo(`?ip=${encodeURIComponent(entry.ip)}`)}">${ip}</a></td>${cells.join('')}</tr>`;
  });
  const { address, locations, csv, fields } = texts;
  const note = omitted > 0 ? notice(fill(texts.omitted, { count: entries.length, more: omitted })) : '';
  const heads = [address, fields.city, fields.region, fields.country_name];
  return {
    title: fill(texts.addresses, { count: entries.length }),
    content: `${note}<section class="card"><div class="scroll" tabindex="0" role="region" aria-label="${locations}"><table>
<thead><tr>${heads.map((head) => `<th scope="col">${head}</th>`).join('')}</tr></thead>
<tbody>${rows.join('')}</tbody></table></div>
<p><a download="locations.csv" href="data:text/csv;charset=utf-8,${encodeURIComponent(csvOf(entries))}">${csv}</a></p></section>`,
  };
};

const csvOf = (entries: readonly Entry[]): string =>
  [
    'ip,city,region,country,error',
    ...entries.map((entry) => {
      const {
        city = null,
        region = null,
        country_name: country = null,
      } = 'values' in entry ? entry.values : {};
      return [entry.ip, city, region, country, 'problem' in entry ? entry.problem : null].map(csvCell).join();
    }),
    '',
  ].join('\r\n');
