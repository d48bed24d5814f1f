/** A request as the examples send it. */
export interface ExampleRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body?: string;
}

/** For a shell: single quotes keep all but themselves. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
/** A string of JSON is one of JavaScript and Python, too. */
const literal = (text: string): string => JSON.stringify(text);

const curl = ({ method, url, headers, body }: ExampleRequest): string =>
  [
    `curl ${quoted(url)}`,
    ...(method === 'GET' || (method === 'POST' && body !== undefined) ? [] : [`--request ${method}`]),
    ...headers.map((header) => `--header ${quoted(header.join(': '))}`),
    ...(body === undefined ? [] : [`--data-binary ${quoted(body)}`]),
  ].join(' \\\n  ');

const javascript = ({ method, url, headers, body }: ExampleRequest): string => {
  const options = [
    ...(method === 'GET' ? [] : [`  method: ${literal(method)},\n`]),
    ...(headers.length > 0 ? [`  headers: ${JSON.stringify(Object.fromEntries(headers))},\n`] : []),
    ...(body === undefined ? [] : [`  body: ${templateLiteral(body)},\n`]),
  ];
  const more = options.length > 0 ? `, {\n${options.join('')}}` : '';
  return `const response = await fetch(${literal(url)}${more});\nconsole.log(response.status, await response.text());`;
};

const templateLiteral = (text: string): string =>
  `\`${text.replaceAll(/[\\`$]/g, '\\$&').replaceAll('\r', '\\r')}\``;

const python = ({ method, url, headers, body }: ExampleRequest): string => {
  const values = [
    `${literal(method)}, ${literal(url)}`,
    ...(headers.length > 0 ? [`headers=${JSON.stringify(Object.fromEntries(headers))}`] : []),
    ...(body === undefined ? [] : [`data=${longString(body)}`]),
  ];
  const call = values.length > 1 ? `\n    ${values.join(',\n    ')},\n` : values[0]!;
  return `import requests\n\nresponse = requests.request(${call})\nprint(response.status_code, response.text)`;
};

const longString = (text: string): string =>
  `"""${text
    .replaceAll('\\', '\\\\')
    .replaceAll(/"(?="|$)/g, '\\"')
    .replaceAll('\r', '\\r')}"""`;

/** Programs that send a request and print its answer, by language. */
export const requestPrograms = (request: ExampleRequest): Readonly<Record<string, string>> => ({
  curl: curl(request),
  JavaScript: javascript(request),
  Python: python(request),
});
