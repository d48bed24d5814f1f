import { escapeMarkup } from '@workspace/service-kit';
import {
  type Contents,
  type OpenApi,
  type Parameter,
  type PathOperation,
  type Response,
  responsesOf,
} from './open-api.ts';
import type { ProblemExamples } from './problem-examples.ts';
import { bodyExample, credentialsOf, parameterExample, requestExamples } from './request-example.ts';
import {
  factsMarkup,
  memberMarkup,
  membersMarkup,
  prose,
  schemaMarkup,
  typeMarkup,
} from './schema-markup.ts';

/** Text in a fixed-width font. */
export const listing = (text: string): string => `<pre><code>${escapeMarkup(text)}</code></pre>`;

/** Longer examples are closed. */
const OPEN_LINES = 30;

/**
 * The bodies that a request or a response can have: schema and example by media type.
 * @param isOpen whether short examples are
 */
const contentsMarkup = (contents: Contents, document: OpenApi, isOpen: boolean): string =>
  Object.entries(contents)
    .map(([type, media]) => {
      const example = bodyExample(type, media, document);
      // The example of the whole is below: once is enough.
      const schema = media.schema && schemaMarkup({ ...media.schema, examples: [] });
      return `<div class="media"><code>${escapeMarkup(type)}</code> ${schema ?? ''}${
        example === undefined
          ? ''
          : `<details${isOpen && example.split('\n').length <= OPEN_LINES ? ' open' : ''}><summary>Example</summary>${listing(example)}</details>`
      }</div>`;
    })
    .join('');

/** The headers of a response, closed: their names are seen. */
export const headersMarkup = ({ headers = {} }: Response): string => {
  const rows = Object.entries(headers).map(([name, { description, schema }]) =>
    memberMarkup(name, description === undefined ? schema : { ...schema, description }),
  );
  const names = Object.keys(headers).map(escapeMarkup).join(', ');
  return (
    names &&
    `<details><summary>Headers: ${names}</summary><ul class="members">${rows.join('')}</ul></details>`
  );
};

/** The required ones first: they are what a request cannot do without. */
const requiredFirst = (parameters: readonly Parameter[]): Parameter[] =>
  parameters.toSorted((a, b) => Number(b.required ?? false) - Number(a.required ?? false));

const parametersMarkup = (parameters: readonly Parameter[]): string =>
  `<h4>Parameters</h4><ul class="members">${parameters
    .map(
      ({ name, in: where, required, description, example, schema }) =>
        `<li><b><code>${escapeMarkup(name)}</code></b> <span class="type">${typeMarkup(schema)} · ${where}${required ? '' : ' · optional'}</span>${factsMarkup({ ...schema, ...(example !== undefined && { examples: [example] }) }, description)}${membersMarkup(schema)}</li>`,
    )
    .join('')}</ul>`;

const responseMarkup = (
  [status, response]: [string, Response],
  problems: ProblemExamples,
  document: OpenApi,
): string => {
  const codes = problems.codesOf(status, response);
  if (codes) {
    const links = codes.map(
      (code) => `<a href="#problem-${escapeMarkup(code)}">${escapeMarkup(problems.get(code)!.title)}</a>`,
    );
    return `<li><b>${status}</b> ${links.join(' · ')}</li>`;
  }
  const head = `<b>${status}</b> ${prose(response.description)}`;
  const body = contentsMarkup(response.content ?? {}, document, true) + headersMarkup(response);
  return body
    ? `<li><details${status.startsWith('2') ? ' open' : ''}><summary>${head}</summary>${body}</details></li>`
    : `<li>${head}</li>`;
};

const label = (text: string, note: string, field: string): string =>
  `<label><span><code>${escapeMarkup(text)}</code> <span class="soft">${note}</span></span>${field}</label>`;

/** A field of the form; its data attributes say where the script puts its value. */
const fieldMarkup = (parameter: Parameter): string => {
  const { name, in: where, required = false, schema } = parameter;
  const example = escapeMarkup(parameterExample(parameter));
  const attributes = `name="${escapeMarkup(name)}" data-in="${where}"`;
  const options = (schema.enum ?? []).map((value) => `<option>${escapeMarkup(String(value))}</option>`);
  return label(
    name,
    required ? where : `${where}, optional`,
    options.length > 0
      ? `<select ${attributes}>${required ? '' : '<option value="">not sent</option>'}${options.join('')}</select>`
      : `<input ${attributes} ${required ? 'required value' : 'placeholder'}="${example}" autocomplete="off" spellcheck="false">`,
  );
};

/** How a client authenticates, where an operation asks for it. */
const authenticationMarkup = ({ security = [] }: PathOperation, { components }: OpenApi): string => {
  const names = [...new Set(security.flatMap((requirement) => Object.keys(requirement)))];
  const ways = names.flatMap((name) => {
    const scheme = components?.securitySchemes?.[name];
    if (!scheme) return [];
    const { type, in: where, name: field = name, description } = scheme;
    const words = {
      http: '<b><code>Authorization: Bearer …</code></b>',
      apiKey: `<b><code>${escapeMarkup(field)}</code></b> (${where})`,
      mutualTLS: '<b>Client certificate</b>',
    }[type];
    return `<li>${words ?? escapeMarkup(name)}${description === undefined ? '' : `: ${prose(description)}`}</li>`;
  });
  const isOptional = security.some((requirement) => Object.keys(requirement).length === 0);
  const note = isOptional ? 'optional' : ways.length > 1 ? 'one of' : 'required';
  return (
    ways.join('') &&
    `<h4>Authentication <span class="soft">${note}</span></h4><ul class="members">${ways.join('')}</ul>`
  );
};

/** The fields for what authenticates the client. */
const credentialFields = (operation: PathOperation, document: OpenApi): string[] =>
  credentialsOf(operation, document).map(({ name, where, prefix }) =>
    label(
      name,
      prefix ? 'bearer token' : `${where}, key`,
      `<input name="${escapeMarkup(name)}" data-in="${where}" data-prefix="${prefix}" type="password" autocomplete="off">`,
    ),
  );

const formMarkup = (operation: PathOperation, document: OpenApi): string => {
  const { method, path, parameters = [], requestBody } = operation;
  const types = Object.entries(requestBody?.content ?? {});
  const [[firstType, firstMedia] = []] = types;
  const body =
    firstType && firstMedia
      ? label(
          'Content-Type',
          'header',
          `<select name="content-type" data-in="header">${types.map(([type]) => `<option>${escapeMarkup(type)}</option>`).join('')}</select>`,
        ) +
        label(
          'Body',
          '',
          `<textarea name="body" data-in="body" rows="6" spellcheck="false">${escapeMarkup(bodyExample(firstType, firstMedia, document) ?? '')}</textarea>`,
        )
      : '';
  return `<details class="try"><summary>Try it out</summary><form data-method="${method}" data-path="${escapeMarkup(path)}">
${[...credentialFields(operation, document), ...parameters.map((parameter) => fieldMarkup(parameter)), body].join('\n')}
<button>Send</button><p class="status" role="status"></p><pre class="headers"></pre><pre class="answer"></pre></form></details>`;
};

/** The section of an operation. */
export const operationMarkup = (
  operation: PathOperation,
  problems: ProblemExamples,
  document: OpenApi,
): string => {
  const { id, method, path, summary, description, requestBody } = operation;
  const parameters = requiredFirst(operation.parameters ?? []);
  const examples = Object.entries(requestExamples(operation, document)).map(
    ([language, text]) =>
      `<div class="sample"><p><b>${language}</b> <button type="button" class="copy" aria-label="Copy the ${language} example">Copy</button></p>${listing(text)}</div>`,
  );
  return `<details class="operation"><summary><h3><span class="method">${method}</span> <code>${breakable(path)}</code></h3>${summary === undefined ? '' : ` <span class="soft">${prose(summary)}</span>`}</summary>
<div class="columns" id="${escapeMarkup(id)}"><div>
${description === undefined ? '' : `<p>${prose(description)}</p>`}
${authenticationMarkup(operation, document)}${parameters.length > 0 ? parametersMarkup(parameters) : ''}${requestBody ? `<h4>Request body</h4>${contentsMarkup(requestBody.content, document, false)}` : ''}
<h4>Responses</h4><ul class="responses">${responsesOf(operation, document)
    .map((response) => responseMarkup(response, problems, document))
    .join('')}</ul>
${formMarkup({ ...operation, parameters }, document)}</div>
<div><h4>Examples</h4>${examples.join('')}</div></div></details>`;
};

/** A path that may be broken after each slash. */
export const breakable = (path: string): string => escapeMarkup(path).replaceAll('/', '/<wbr>');
