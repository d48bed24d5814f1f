import { escapeMarkup } from '@workspace/service-kit';
import { pageMarkup, pagePolicy } from '@workspace/service-kit/pages';
import type { OperationSchema } from '../../application/operation-schema.ts';
import { sampleOf } from '../../http/submit/example-request.ts';
import { CONSOLE_SCRIPT } from './console-script.ts';
import { CONSOLE_STYLE } from './console-style.ts';
import { HISTORY_LINES, type History } from './history.ts';

export interface ConsolePageOptions {
  version: string;
  brokers: string;
  topic: string;
  /** where Idempotency-Keys are kept */
  keysIn: 'memory' | 'Redis' | 'PostgreSQL';
  /** whether submissions need a bearer token */
  withTokens: boolean;
  /** address of a message browser */
  messagesUrl?: string | undefined;
  /** address of the folder of the runbooks */
  runbooksUrl?: string | undefined;
  /** the schemas that a sample can follow, at least one */
  schemas: readonly OperationSchema[];
}

/** Chooses the schema, where there are several, and with it the sample. */
const schemaField = (schemas: readonly OperationSchema[]): string =>
  schemas.length < 2
    ? ''
    : `<div><label for="schema">Schema</label><select id="schema">${schemas
        .map(
          (schema) =>
            `<option data-sample="${escapeMarkup(sampleOf(schema))}">${escapeMarkup(schema.name)}</option>`,
        )
        .join('')}</select></div>`;

const WINDOW = '<p class="soft"><span class="window">…</span></p>';
const LEGEND = '<p class="soft legend"><span>202</span> <span>4xx</span> <span>5xx</span></p>';
const SINCE_START = '<p class="soft">since the start</p>';

const card = (heading: string, content: string, wide = false): string =>
  `<section${wide ? ' class="wide"' : ''}><h2>${heading}</h2>${content}</section>`;

/** A value in large type, and what it means. */
const figure = (id: string, value: string, note: string): string =>
  `<p class="figure"><span id="${id}">${value}</span></p>${note}`;

/** Terms and values, all there from the first paint: the script changes the values only, and nothing moves. */
const facts = (entries: readonly (readonly [term: string, id: string, value: string])[]): string =>
  `<dl>${entries.map(([term, id, value]) => `<dt>${term}</dt><dd id="${id}">${escapeMarkup(value)}</dd>`).join('')}</dl>`;

/** The roles are those that the elements have anyway, until a narrow screen shows their rows as blocks. */
const table = (id: string, columns: readonly string[], label: string): string =>
  `<div class="scroll ${id}" tabindex="0" role="region" aria-label="${label}"><table role="table"><thead role="rowgroup"><tr role="row">${columns
    .map((column) => `<th scope="col" role="columnheader">${column}</th>`)
    .join('')}</tr></thead><tbody role="rowgroup" id="${id}"></tbody></table></div>`;

const historyFigure = ({ lines, note }: History): string =>
  `<svg viewBox="0 0 300 60" preserveAspectRatio="none" aria-hidden="true"><path d="M0 59H300"></path>${Object.keys(
    HISTORY_LINES,
  )
    .map((name) => `<polyline id="line-${name}" points="${lines[name as keyof typeof lines]}"></polyline>`)
    .join('')}</svg><p class="soft" id="line-note">${note}</p>`;

/** The page's own style and script, and requests and forms to this site. */
export const CONSOLE_POLICY = pagePolicy({
  style: CONSOLE_STYLE,
  script: CONSOLE_SCRIPT,
  connectsTo: ["'self'"],
  hasForms: true,
});

/** The operator's console: a page whose values its script fills in; the history is there without it. */
export const consolePage = (
  { version, brokers, topic, keysIn, withTokens, messagesUrl, runbooksUrl, schemas }: ConsolePageOptions,
  history: History,
): string =>
  pageMarkup({
    title: 'ops-intake console',
    header: { name: 'ops-intake', version, root: './' },
    style: CONSOLE_STYLE,
    script: CONSOLE_SCRIPT,
    attributes: ` data-runbooks="${escapeMarkup(runbooksUrl?.replace(/\/*$/, '/') ?? '')}"`,
    before:
      '<noscript><p>Without JavaScript, only the history is shown. <a href="health">Health</a> has the checks.</p></noscript>',
    main: `<h1 class="wide">Console</h1>
<p class="wide" id="live" role="status">connecting</p>
${card('Service', figure('status', '…', '<p class="soft" id="since">…</p><p class="soft note" id="status-note"></p>'))}
${card(
  'Kafka',
  figure('kafka', '…', '') +
    facts([
      ['Brokers', 'brokers', brokers],
      ['Topic', 'topic', topic],
    ]) +
    (messagesUrl === undefined ? '' : `<p><a href="${escapeMarkup(messagesUrl)}">Message browser</a></p>`),
)}
${card(
  'Key store',
  figure('store', '…', '<p class="soft note" id="store-note"></p>') +
    facts([
      ['Kept in', 'keys-in', keysIn],
      ['In use', 'store-use', '…'],
    ]),
)}
${card('Queue', figure('queued', '0', '<p class="soft">submissions, <span id="queued-bytes">0 bytes</span></p>'))}
${card('Accepted', figure('rate', '0', '<p class="soft">submissions per second</p>'))}
${card('Last 15 minutes', historyFigure(history) + LEGEND)}
${card(
  'Latency',
  WINDOW +
    facts([
      ['Submission to 202, p50', 'p50', '…'],
      ['Submission to 202, p99', 'p99', '…'],
      ['Last probe of Kafka', 'probe', '…'],
    ]),
)}
${card(
  'Throttling',
  WINDOW +
    facts([
      ['429, rate limit', 'limited', '…'],
      ['503, unavailable', 'unavailable', '…'],
      ['Kafka quota', 'quota', '…'],
    ]),
)}
${card('Answers by status', SINCE_START + '<dl id="answers" class="pairs"></dl>')}
${card(
  'Records by outcome',
  SINCE_START +
    facts([
      ['acknowledged', 'acknowledged', '0'],
      ['rejected', 'rejected', '0'],
      ['unknown', 'unknown', '0'],
    ]),
)}
${card('Checks', table('checks', ['Check', 'Status', 'Since (UTC)', 'Details and what to do'], 'Checks'), true)}
${card('Recent problems', table('problems', ['Time (UTC)', 'Problem', 'Details', 'Request id'], 'Recent problems'), true)}
${card(
  'Find a submission',
  `<form id="search" action="console/submission"><div class="fields"><div><label for="id">Submission id</label><input id="id" name="id" autocomplete="off" maxlength="36" spellcheck="false"></div>
<div><label for="of-key">or Idempotency-Key</label><input id="of-key" name="key" autocomplete="off" maxlength="255" spellcheck="false"></div></div>
<button>Find</button></form>${withTokens ? '\n<p id="found-status" role="status"></p><pre id="found"></pre>' : ''}`,
  true,
)}
${card(
  'Submit a sample',
  `<p class="soft">This writes a real record to the topic.</p>
<form id="submission"><label for="body">Operations (JSON)</label><textarea id="body" spellcheck="false" required>${escapeMarkup(sampleOf(schemas[0]))}</textarea>
<div class="fields"><div><label for="key">Idempotency-Key (optional)</label><input id="key" autocomplete="off"></div>${schemaField(schemas)}${
    withTokens
      ? '<div><label for="token">Bearer token</label><input id="token" type="password" autocomplete="off"></div>'
      : ''
  }</div>
<button>Submit</button></form>
<p id="answer-status" role="status"></p><ul id="violations"></ul><pre id="answer"></pre>`,
  true,
)}`,
  });
