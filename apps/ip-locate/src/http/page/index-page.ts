import { parseAddress } from '@workspace/ip-addresses';
import { daysSince, isStale } from '../../domain/build-date.ts';
import { reservedRange } from '../../domain/special-ranges.ts';
import type { Attribution } from '../lookup/attribution.ts';
import type { FieldName, FieldValues } from '../lookup/fields.ts';
import { csvCell } from '../lookup/formats/csv.ts';
import { lookupFormats } from '../lookup/formats/formats.ts';
import { MAX_ADDRESSES } from '../lookup/lookup.ts';
import type { Problem } from '@workspace/schemas';
import { escapeMarkup } from '@workspace/service-kit';
import { pageMarkup, staleNotice } from '@workspace/service-kit/pages';
import { problemMarkup } from '@workspace/service-kit/problems';
import { ICON, STYLE } from './style.ts';
import type { worldMap } from './world-map.ts';

export const NOTICE =
  'Locations are those of networks, not of persons or households, and often tens of kilometres off.';

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

export interface IndexPage {
  readonly subject: Subject;
  /** host and port the request was sent to, for the curl command */
  readonly host: string;
  readonly version: string;
  readonly attributions: readonly Attribution[];
  readonly builtAt: Date | null;
  readonly now: Date;
  /** from the page's path to the root of the service: `./`, `../` … */
  readonly root: string;
  /** the API key that the page was asked for with */
  readonly key?: string | undefined;
  /** draws where a location is; needed for the caller's and one address only */
  readonly drawMap?: DrawMap | undefined;
}

export type DrawMap = typeof worldMap;

/** Makes the address of a link from its path below the root. Browsers send no API key in a header, so links carry it on. */
type LinkTo = (path: string) => string;

const linksWith =
  (root: string, key: string | undefined): LinkTo =>
  (path) =>
    escapeMarkup(
      key === undefined
        ? root + path
        : `${root}${path}${path.includes('?') ? '&' : '?'}key=${encodeURIComponent(key)}`,
    );

/** Rows of the answer, by what they are to a person. */
const SECTIONS = {
  Location: {
    city: 'City',
    region: 'Region',
    country_name: 'Country',
    postal: 'Postal code',
    latlong: 'Coordinates',
    accuracy_radius: 'Accuracy, km',
    timezone: 'Time zone',
    utc_offset: 'UTC offset',
  },
  Network: {
    network: 'Block',
    asn: 'Autonomous system',
    org: 'Operator',
    is_anonymous: 'Anonymous',
    is_anonymous_vpn: 'VPN',
    is_hosting_provider: 'Hosting',
    is_public_proxy: 'Public proxy',
    is_residential_proxy: 'Residential proxy',
    is_tor_exit_node: 'Tor exit node',
    is_anycast: 'Anycast',
    is_bot: 'Crawler',
  },
  Country: {
    country_capital: 'Capital',
    currency: 'Currency',
    languages: 'Languages',
    country_calling_code: 'Calling code',
    country_tld: 'Top-level domain',
  },
} as const satisfies Record<string, Partial<Record<FieldName, string>>>;

/** An address that everyone knows, to try the service with. */
const EXAMPLE = '8.8.8.8';

/** For a private caller, unless TRUST_PROXY lists the address already. */
const UNTRUSTED_PROXY = `
<p>If this page is on the Internet, it is behind a proxy that the service does not trust yet: add the proxy to <code>TRUST_PROXY</code>.</p>`;

/**
 * The page for people. All links and forms are relative, so that it works below a path of a proxy, and it has no script:
 * forms send their input back to the page.
 */
export const indexPage = ({
  subject,
  host,
  version,
  attributions,
  builtAt,
  now,
  root,
  key,
  drawMap,
}: IndexPage): string => {
  const linkTo = linksWith(root, key);
  const {
    title,
    heading = `<h1>${escapeMarkup(title)}</h1>`,
    content,
    details,
    ip,
  } = contentOf(subject, linkTo, drawMap);
  const hidden = key === undefined ? '' : `<input type="hidden" name="key" value="${escapeMarkup(key)}">`;
  // The licence of DB-IP Lite requires a link on every page that shows results.
  const credit = attributions
    .map(({ url, text }) => `<a href='${escapeMarkup(url)}'>${escapeMarkup(text)}</a>. `)
    .join('');
  const age = builtAt ? `Data of ${builtAt.toISOString().slice(0, 10)}. ` : '';
  const old =
    (details || subject.type === 'list') && builtAt && isStale(builtAt, now)
      ? staleNotice(builtAt, daysSince(builtAt, now), 'Networks may have moved since.')
      : '';
  const list = subject.type === 'list' ? subject.entries.map((entry) => entry.ip).join('\n') : '';
  const one = `<form class="search" action="${root}" method="get">${hidden}<label for="ip">IPv4 or IPv6 address</label>
<input id="ip" name="ip" value="${escapeMarkup(subject.type === 'address' ? subject.entry.ip : '')}" placeholder="${EXAMPLE}" required maxlength="100" autocomplete="off" spellcheck="false" autocapitalize="off">
<button>Look up</button></form>`;
  const many = `<section class="card"><h2>Look up many</h2>
<form action="${root}" method="get">${hidden}<label for="addresses">One address per line, up to ${MAX_ADDRESSES}</label>
<textarea id="addresses" name="addresses" required maxlength="8000" spellcheck="false">${escapeMarkup(list)}</textarea>
<button>Look up all</button></form></section>`;
  const formats = lookupFormats()
    .filter((format) => format !== 'json')
    .map((format) => `<a href="${linkTo(`${ip ?? EXAMPLE}/${format}/`)}">${format.toUpperCase()}</a>`);
  const program = `<section class="card"><h2>Use the API</h2>
<code class="command">curl -sL ${escapeMarkup(`${host}/${ip ?? EXAMPLE}/json/`)}</code>
<p>Also as ${formats.join(', ')}. All paths are in the <a href="${root}docs">API reference</a>.</p></section>`;
  return pageMarkup({
    title: `${title} · ip-locate`,
    header: { name: 'ip-locate', version, root, home: linkTo('') },
    icon: ICON,
    style: STYLE,
    main: `${old}${one}
${heading}
${content}
${details?.[0] ? `<div class="result">${details[0]}<div>${details[1]}${program}</div></div>${many}` : `<div class="columns">${many}${program}</div>`}`,
    foot: `<p>${credit}${age}Map: Natural Earth. ${NOTICE}</p>`,
  });
};

interface Content {
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

const contentOf = (subject: Subject, linkTo: LinkTo, drawMap: DrawMap | undefined): Content => {
  if (subject.type === 'list') return listContent(subject.entries, subject.omitted, linkTo);
  if (subject.type === 'problem')
    return {
      title: subject.problem.title,
      heading: problemMarkup(subject.problem, subject.url),
      content: '',
    };
  const { entry, type } = subject;
  if ('values' in entry) {
    const lead =
      type === 'caller' ? `Your address is <code>${escapeMarkup(entry.ip)}</code>.` : placeName(entry.values);
    const title = type === 'caller' ? (placeName(entry.values, false) ?? 'Unknown location') : entry.ip;
    return {
      title,
      content: `<p class="lead">${lead ?? 'No location on record for this address.'}</p>`,
      details: [detailsOf(entry.values), mapOf(entry.values, drawMap)],
      ip: entry.ip,
    };
  }
  if (isLoopback(entry.ip)) {
    return {
      title: 'Your own machine',
      content: `<p class="lead"><code>${escapeMarkup(entry.ip)}</code> is how every machine calls itself. It has no location.</p>
<section class="card">${tryAnother(linkTo)}${type === 'caller' && !subject.trusted ? UNTRUSTED_PROXY : ''}</section>`,
      ...(type === 'address' && { ip: entry.ip }),
    };
  }
  if (type === 'caller' && subject.reserved) {
    return {
      title: 'Your address is private',
      content: `<p class="lead">This service sees you as <code>${escapeMarkup(entry.ip)}</code>, an address that is used in many networks at once and has no location.</p>
<section class="card"><p>That is normal in your own network.</p>${tryAnother(linkTo)}${subject.trusted ? '' : UNTRUSTED_PROXY}</section>`,
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

/** Whether a text is a loopback address: what visitors type may be anything. */
const isLoopback = (ip: string): boolean => {
  const address = parseAddress(ip);
  return address !== undefined && reservedRange(address) === 'loopback';
};

const tryAnother = (linkTo: LinkTo): string =>
  `<p>Try the address of a public server: <a href="${linkTo(`?ip=${EXAMPLE}`)}">${EXAMPLE}</a>.</p>`;

const notice = (text: string): string => `<p class="notice bad" role="alert">${escapeMarkup(text)}</p>`;

/** City, region and country, escaped by default; undefined when none is known. */
const placeName = (
  { city, region, country_name: country }: FieldValues,
  escaped = true,
): string | undefined => {
  const parts = [...new Set([city, region, country].filter((part) => typeof part === 'string'))];
  if (parts.length === 0) return undefined;
  return escaped ? escapeMarkup(parts.join(', ')) : parts.join(', ');
};

const mapOf = (values: FieldValues, drawMap: DrawMap | undefined): string => {
  const { latitude, longitude, accuracy_radius: accuracy } = values;
  if (!drawMap || typeof latitude !== 'number' || typeof longitude !== 'number') return '';
  const label = `Map with ${placeName(values, false) ?? 'the location'} marked`;
  const at = `${latitude}/${longitude}`;
  return `${drawMap(latitude, longitude, label, typeof accuracy === 'number' ? accuracy : undefined)}
<p><a href="https://www.openstreetmap.org/?mlat=${latitude}&amp;mlon=${longitude}#map=9/${at}">Streets on OpenStreetMap</a></p>`;
};

/** What is known of an address, in sections; empty when nothing is. */
const detailsOf = (values: FieldValues): string => {
  const sections = Object.entries(SECTIONS).map(([heading, labels]) => {
    const rows = Object.entries(labels).flatMap(([name, label]) => {
      const value = values[name as FieldName] ?? null;
      return value === null ? [] : [`<dt>${label}</dt><dd>${escapeMarkup(readable(String(value)))}</dd>`];
    });
    return rows.length > 0 ? `<h2>${heading}</h2><dl>${rows.join('')}</dl>` : '';
  });
  const known = sections.join('');
  return known && `<section class="card">${known}</section>`;
};

const READABLE: Readonly<Record<string, string>> = { true: 'yes', false: 'no' };

/** `37.4, -122.1`, `-08:00`, `yes` */
const readable = (value: string): string =>
  READABLE[value] ?? value.replace(/,(?=\S)/g, ', ').replace(/^([+-]\d\d)(\d\d)$/, '$1:$2');

const listContent = (entries: readonly Entry[], omitted: number, linkTo: LinkTo): Content => {
  const rows = entries.map((entry) => {
    const ip = escapeMarkup(entry.ip);
    if ('problem' in entry)
      return `<tr><td><code>${ip}</code></td><td colspan="3">${escapeMarkup(entry.problem)}</td></tr>`;
    const { city, region, country_name: country } = entry.values;
    const cells = [city, region, country].map((value) => `<td>${escapeMarkup(String(value ?? '–'))}</td>`);
    return `<tr><td><a href="${linkTo(`?ip=${encodeURIComponent(entry.ip)}`)}"><code>${ip}</code></a></td>${cells.join('')}</tr>`;
  });
  const note =
    omitted > 0
      ? notice(`Only the first ${entries.length} addresses are shown; ${omitted} more were left out.`)
      : '';
  return {
    title: entries.length === 1 ? '1 address' : `${entries.length} addresses`,
    content: `${note}<section class="card"><div class="scroll" tabindex="0" role="region" aria-label="Locations"><table>
<thead><tr><th scope="col">Address</th><th scope="col">City</th><th scope="col">Region</th><th scope="col">Country</th></tr></thead>
<tbody>${rows.join('')}</tbody></table></div>
<p><a download="locations.csv" href="data:text/csv;charset=utf-8,${encodeURIComponent(csvOf(entries))}">Download as CSV</a></p></section>`,
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
