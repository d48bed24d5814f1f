import { escapeMarkup } from '@workspace/service-kit';
import { exampleOperation, OPERATIONS } from '../../domain/operation.ts';

export interface ConsolePageOptions {
  version: string;
  /** whether submissions need a bearer token */
  withTokens: boolean;
  /** address of a message browser */
  messagesUrl?: string | undefined;
}

const SAMPLE = `[
  ${OPERATIONS.map((kind) => exampleOperation({ operation: JSON.stringify(kind) })).join(',\n  ')}
]`;

const card = (heading: string, content: string, wide = false): string =>
  `<section${wide ? ' class="wide"' : ''}><h2>${heading}</h2>${content}</section>`;

const table = (id: string, columns: readonly string[], label: string): string =>
  `<div class="scroll" tabindex="0" role="region" aria-label="${label}"><table><thead><tr>${columns
    .map((column) => `<th scope="col">${column}</th>`)
    .join('')}</tr></thead><tbody id="${id}"></tbody></table></div>`;

/** The operator's console: a page whose values its script fills in. */
export const consolePage = ({
  version,
  withTokens,
  messagesUrl,
}: ConsolePageOptions): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>ops-intake console</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="console.css">
<script src="console.js" defer></script>
</head>
<body>
<header>
<h1>ops-intake</h1>
<p>version ${escapeMarkup(version)} · <span id="live" role="status">connecting</span> · <a href="docs">API reference</a>${
  messagesUrl === undefined ? '' : ` · <a href="${escapeMarkup(messagesUrl)}">Message browser</a>`
}</p>
</header>
<main>
${card('Service', '<p class="figure"><span id="status">…</span></p><p class="soft">up: submissions are accepted; warn: with a restriction, see Checks; down: they get 503</p>')}
${card('Kafka', '<p class="figure"><span id="kafka">…</span></p><dl id="kafka-facts"></dl>')}
${card('Queue', '<p class="figure"><span id="queued">0</span> <small>submissions</small></p><p class="soft" id="queued-bytes">0 bytes</p>')}
${card('Accepted', '<p class="figure"><span id="rate">0</span> <small>submissions per second</small></p><svg viewBox="0 0 300 60" preserveAspectRatio="none" role="img" aria-label="Accepted submissions per second in the last minute"><polyline id="line" points=""></polyline></svg>')}
${card('Answers by status', '<dl id="answers"></dl>')}
${card('Records by outcome', '<dl id="outcomes"></dl>')}
${card('Checks', table('checks', ['Check', 'Status', 'Details'], 'Checks'), true)}
${card('Recent problems', table('problems', ['Time (UTC)', 'Problem', 'Details', 'Request id'], 'Recent problems'), true)}
${card(
  'Submit a sample',
  `<p class="soft">This writes a real record to the topic.</p>
<form id="submission"><label for="body">Operations (JSON)</label><textarea id="body" spellcheck="false" required>${escapeMarkup(SAMPLE)}</textarea>
<div class="fields"><div><label for="key">Idempotency-Key (optional)</label><input id="key" autocomplete="off"></div>${
    withTokens
      ? '<div><label for="token">Bearer token</label><input id="token" type="password" autocomplete="off"></div>'
      : ''
  }</div>
<button>Submit</button></form>
<p id="answer-status" role="status"></p><pre id="answer"></pre>`,
  true,
)}
</main>
</body>
</html>
`;
