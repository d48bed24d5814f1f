import { escapeMarkup } from '@workspace/service-kit';
import { pageMarkup, staleNotice } from '@workspace/service-kit/pages';
import { daysSince, isStale } from '../../domain/build-date.ts';
import { type Language, LANGUAGES } from '../../domain/language.ts';
import type { Attribution } from '../lookup/attribution.ts';
import { lookupFormats } from '../lookup/formats/formats.ts';
import { MAX_ADDRESSES } from '../lookup/lookup.ts';
import { contentOf, type DrawMap, EXAMPLE, isProblem, type LinkTo, type Subject } from './content.ts';
import type { OtherAddresses } from './other-addresses.ts';
import { ICON, STYLE } from './style.ts';
import { fill, TEXTS } from './texts/index.ts';

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
  /** the language that the page was asked for with */
  readonly lang?: string | undefined;
  readonly language: Language;
  /** draws where a location is; needed for the caller's and one address only */
  readonly drawMap?: DrawMap | undefined;
  readonly otherAddresses?: OtherAddresses | undefined;
}

/** What links and forms carry on. Browsers send no API key in a header. */
type Carried = Readonly<Record<string, string>>;

const linksWith =
  (root: string, carried: Carried): LinkTo =>
  (path) => {
    const query = new URLSearchParams(carried).toString();
    return escapeMarkup(
      query === '' ? root + path : `${root}${path}${path.includes('?') ? '&' : '?'}${query}`,
    );
  };

/**
 * The page for people. All links and forms are relative, so that it works below a path of a proxy, and needs no script:
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
  lang,
  language: preferred,
  drawMap,
  otherAddresses,
}: IndexPage): string => {
  // Problems are described in English.
  const language = isProblem(subject) ? 'en' : preferred;
  const texts = TEXTS[language];
  const keyed: Carried = key === undefined ? {} : { key };
  const carried: Carried = lang === undefined ? keyed : { ...keyed, lang };
  const linkTo = linksWith(root, carried);
  const {
    title,
    heading = `<h1>${escapeMarkup(title)}</h1>`,
    content,
    details,
    ip,
  } = contentOf(subject, { texts, language, linkTo, drawMap });
  // The licence of DB-IP Lite requires a link on every page that shows results.
  const credit = attributions
    .map(({ url, text }) => `<a href='${escapeMarkup(url)}'>${escapeMarkup(text)}</a>. `)
    .join('');
  const age = builtAt ? `${fill(texts.dataOf, { date: builtAt.toISOString().slice(0, 10) })} ` : '';
  const old =
    (details || subject.type === 'list') && builtAt && isStale(builtAt, now)
      ? staleNotice(
          builtAt,
          (date) => fill(texts.stale, { date, days: daysSince(builtAt, now) }),
          language === 'en' ? 'en-GB' : language,
        )
      : '';
  const others = otherAddresses?.urls.map(
    (url) =>
      `\n<p class="lead" data-url="${escapeMarkup(url)}" hidden>${fill(texts.yourAddress, { ip: '<code></code>' })}</p>`,
  );
  const list = subject.type === 'list' ? subject.entries.map((entry) => entry.ip).join('\n') : '';
  const address = subject.type === 'address' ? subject.entry.ip : '';
  const one = `<form class="search" action="${root}" method="get">${hidden(carried)}<label for="ip">${texts.oneAddress}</label>
<input id="ip" name="ip" value="${escapeMarkup(address)}" placeholder="${EXAMPLE}" required maxlength="100" autocomplete="off" spellcheck="false" autocapitalize="off">
<button>${texts.lookUp}</button></form>`;
  const many = `<section class="card"><h2>${texts.many}</h2>
<form action="${root}" method="get">${hidden(carried)}<label for="addresses">${fill(texts.onePerLine, { count: MAX_ADDRESSES })}</label>
<textarea id="addresses" name="addresses" required maxlength="8000" spellcheck="false">${escapeMarkup(list)}</textarea>
<button>${texts.lookUpAll}</button></form></section>`;
  const formats = lookupFormats()
    .filter((format) => format !== 'json')
    .map((format) => `<a href="${linkTo(`${ip ?? EXAMPLE}/${format}/`)}">${format.toUpperCase()}</a>`);
  const reference = `<a href="${root}docs">${texts.reference}</a>`;
  const program = `<section class="card"><h2>${texts.api}</h2>
<code class="command">curl -sL ${escapeMarkup(`${host}/${ip ?? EXAMPLE}/json/`)}</code>
<p>${fill(texts.alsoAs, { formats: formats.join(', '), reference })}</p></section>`;
  const shown: Carried = { ...keyed, ...(address && { ip: address }), ...(list && { addresses: list }) };
  return pageMarkup({
    title: `${title} · ip-locate`,
    lang: language,
    header: { name: 'ip-locate', version, root, home: linkTo('') },
    icon: ICON,
    style: STYLE,
    ...(otherAddresses && { script: otherAddresses.script }),
    main: `${old}${one}
${heading}
${content}${others?.join('') ?? ''}
${details?.[0] ? `<div class="result">${details[0]}<div>${details[1]}${program}</div></div>${many}` : `<div class="columns">${many}${program}</div>`}`,
    foot: `<p>${credit}${age}${texts.mapBy} ${texts.notice}</p>${isProblem(subject) ? '' : languageForm(root, shown, language)}`,
  });
};

const hidden = (values: Carried): string =>
  Object.entries(values)
    .map(([name, value]) => `<input type="hidden" name="${name}" value="${escapeMarkup(value)}">`)
    .join('');

/** Shows the same in another language. */
const languageForm = (root: string, shown: Carried, language: Language): string => {
  const options = LANGUAGES.map(
    (one) =>
      `<option value="${one}" lang="${one}"${one === language ? ' selected' : ''}>${TEXTS[one].autonym}</option>`,
  );
  return `<form class="language" action="${root}" method="get">${hidden(shown)}<label for="lang">${TEXTS[language].language}</label>
<select id="lang" name="lang">${options.join('')}</select> <button>${TEXTS[language].change}</button></form>`;
};
