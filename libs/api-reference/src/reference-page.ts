import { escapeMarkup } from '@workspace/service-kit';
import { pageMarkup, pagePolicy } from '@workspace/service-kit/pages';
import { type OpenApi, operationsOf, type PathOperation } from './open-api.ts';
import { breakable, headersMarkup, listing, operationMarkup } from './operation-markup.ts';
import { ProblemExamples } from './problem-examples.ts';
import { REFERENCE_SCRIPT } from './reference-script.ts';
import { REFERENCE_STYLE } from './reference-style.ts';
import { BASE_URL } from './request-example.ts';
import { prose, schemaMarkup, typeMarkup } from './schema-markup.ts';

/** The page's own style and script, and requests to this site. */
export const REFERENCE_POLICY = pagePolicy({
  style: REFERENCE_STYLE,
  script: REFERENCE_SCRIPT,
  connectsTo: ["'self'"],
});

/**
 * The API reference: a document as a page that can be read without its script.
 * @param root the way from the page up to the root of the service: `./` or `../`
 */
export const referencePage = (document: OpenApi, root: string): string => {
  const { info, components: { schemas = {} } = {} } = document;
  const software = info['x-software-version'] ?? info.version;
  const problems = ProblemExamples.of(document);
  const groups = groupsOf(document);
  const title = `${escapeMarkup(info.title)} API reference`;
  return pageMarkup({
    title: `${info.title} API reference`,
    header: { name: info.title, version: software, root },
    style: REFERENCE_STYLE,
    script: REFERENCE_SCRIPT,
    attributes: ` data-root="${root}" data-example="${BASE_URL}"`,
    before: `<div class="contents"><button type="button" popovertarget="page-contents">Contents</button></div>
<nav id="page-contents" aria-label="Contents" popover>
${groups.map(({ name, operations }) => `<div class="group"><p>${escapeMarkup(name)}</p><ul>${operations.map(linkMarkup).join('')}</ul></div>`).join('\n')}
<p>Shared</p><ul><li><a href="#page-problems"><span></span>Problems</a></li><li><a href="#page-schemas"><span></span>Schemas</a></li></ul>
</nav>`,
    main: `<h1>${title}</h1>
<p class="soft">Version ${escapeMarkup(software)}${software === info.version ? '' : ` · interface ${escapeMarkup(info.version)}`} · OpenAPI 3.1: <a href="${root}openapi.json">JSON</a>, <a href="${root}openapi.yaml">YAML</a></p>
${info.description === undefined ? '' : `<p>${prose(info.description)}</p>`}
<p class="filter"><label for="page-filter">Filter operations</label><input type="search" id="page-filter" autocomplete="off" spellcheck="false"><span class="soft" role="status"></span></p>
${groups
  .map(
    ({ name, description, operations }) =>
      `<section class="group"><h2 id="tag-${escapeMarkup(name)}">${escapeMarkup(name)}</h2>${description === undefined ? '' : `<p>${prose(description)}</p>`}
${operations.map((operation) => operationMarkup(operation, problems, document)).join('\n')}</section>`,
  )
  .join('\n')}
<h2 id="page-problems">Problems</h2>
${problemsMarkup(problems)}
<h2 id="page-schemas">Schemas</h2>
${Object.entries(schemas)
  .map(
    ([name, schema]) =>
      `<details class="entry"><summary><h3>${escapeMarkup(name)}</h3></summary><div id="schema-${escapeMarkup(name)}">${schemaMarkup(schema)}</div></details>`,
  )
  .join('\n')}`,
  });
};

/** One body of each media type, and a table of all problem types: what is wrong, and what to do. */
const problemsMarkup = (problems: ProblemExamples): string => {
  const bodies = new Map([...problems.values()].map((problem) => [problem.mediaType, problem]));
  const examples = [...bodies].map(
    ([mediaType, { value, response }]) =>
      `<p><code>${escapeMarkup(mediaType)}</code> ${typeMarkup(response.content?.[mediaType]?.schema ?? {})}, for example:</p>${listing(JSON.stringify(value, null, 2))}`,
  );
  const rows = [...problems].map(
    ([code, { status, title, advice, response }]) =>
      `<tr id="problem-${escapeMarkup(code)}"><th scope="row">${status} <code>${escapeMarkup(code)}</code></th><td>${escapeMarkup(title)}${advice === undefined ? '' : `<p>${prose(advice)}</p>`}${headersMarkup(response)}</td></tr>`,
  );
  return `${examples.join('\n')}
<table class="problems"><thead><tr><th scope="col">Status and code</th><th scope="col">What is wrong, and what to do</th></tr></thead><tbody>
${rows.join('\n')}
</tbody></table>`;
};

const linkMarkup = ({ id, method, path }: PathOperation): string =>
  `<li><a href="#${escapeMarkup(id)}"><span class="method">${method}</span><code>${breakable(path)}</code></a></li>`;

interface Group {
  readonly name: string;
  readonly description?: string;
  readonly operations: readonly PathOperation[];
}

/** The operations by their first tag, in the order of the tags; those without one are last. */
const groupsOf = (document: OpenApi): Group[] => {
  const operations = operationsOf(document);
  const known = document.tags ?? [];
  const isKnown = (tag: string | undefined): boolean => known.some(({ name }) => name === tag);
  const groups: Group[] = known.map((tag) => ({
    ...tag,
    operations: operations.filter(({ tags }) => tags?.[0] === tag.name),
  }));
  const others = operations.filter(({ tags }) => !isKnown(tags?.[0]));
  return [...groups, { name: 'other', operations: others }].filter((group) => group.operations.length > 0);
};
