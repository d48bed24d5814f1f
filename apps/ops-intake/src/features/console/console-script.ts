/** The console's script: shows the states that arrive as server-sent events, and submits what the form contains. */
export const CONSOLE_SCRIPT = `'use strict';
addEventListener('DOMContentLoaded', () => {
const byId = (id) => document.getElementById(id);
const numbers = new Intl.NumberFormat('en');
const show = (id, text, state) => {
  const element = byId(id);
  if (element.textContent !== text) element.textContent = text;
  if (state !== undefined) element.className = 'state ' + state;
};
const TITLE = document.title;
const RUNBOOKS = document.body.dataset.runbooks;
let last;

const cell = (name, content) => {
  const element = document.createElement(name);
  if (content.href) Object.assign(element.appendChild(document.createElement('a')), content);
  else if (!Array.isArray(content)) element.textContent = content;
  else for (const text of content) element.append(cell('p', text));
  return element;
};
const shown = {};
/** Replaces the content of an element only when it has changed: a selection in it stays. */
const replace = (id, content, make) => {
  const text = JSON.stringify(content);
  if (shown[id] !== text) byId(id).replaceChildren(...make());
  shown[id] = text;
};
const list = (id, entries) =>
  replace(id, entries, () => entries.flatMap(([term, value]) => [cell('dt', term), cell('dd', value)]));
const table = (id, rows, none) =>
  replace(id, rows, () => (rows.length > 0 ? rows : [[none]]).map((row) => {
    const columns = byId(id).closest('table').tHead.rows[0].cells;
    const tr = document.createElement('tr');
    tr.role = 'row';
    for (const [index, value] of row.entries()) {
      const td = cell('td', value);
      td.role = 'cell';
      if (row.length === 1) td.colSpan = columns.length;
      else td.dataset.column = columns[index].textContent;
      if (id === 'checks' && index === 1) td.className = 'state ' + value;
      tr.append(td);
    }
    return tr;
  }));

const timeOf = (at) => at.slice(0, 19).replace('T', ' ');
const MEANINGS = {
  up: 'Submissions are accepted.',
  warn: 'Submissions are accepted with a restriction: see Checks.',
  down: 'Submissions get 503: see Checks.',
};
const STORE_MEANINGS = {
  available: 'Submissions with an Idempotency-Key are accepted.',
  warn: 'Keys are accepted, but may not be kept: see Checks.',
  unavailable: 'Submissions with an Idempotency-Key get 503: see Checks.',
};
const milliseconds = (value) => {
  if (value === undefined) return 'none';
  return value >= 10000 ? '10 s or more' : numbers.format(Number(value.toPrecision(3))) + ' ms';
};
const useOf = ({ use, unsettled }) => {
  const capacity = use && use.capacity !== undefined ? ' of ' + numbers.format(use.capacity) : '';
  const used = use ? numbers.format(use.used) + capacity + ' ' + use.unit : 'not known';
  return unsettled > 0 ? used + '; ' + numbers.format(unsettled) + ' not settled' : used;
};
const durationOf = (seconds) =>
  seconds < 120 ? seconds + ' seconds' : Math.round(seconds / 60) + ' minutes';

const update = (state) => {
  const { health, checks, store, queue, recent, answers, outcomes, problems } = state;
  show('status', health.status, health.status);
  show('since', state.since === undefined ? 'since the start' : 'since ' + timeOf(state.since) + ' UTC');
  document.title = (health.status === 'up' ? '' : health.status + ' · ') + TITLE;
  show('status-note', MEANINGS[health.status]);
  show('kafka', health.kafka.status, health.kafka.status);
  show('store', store.status, store.status);
  show('store-note', STORE_MEANINGS[store.status]);
  show('store-use', useOf(store));
  show('queued', numbers.format(queue.records));
  show('queued-bytes', numbers.format(queue.bytes) + ' bytes');
  const accepted = answers['202'] ?? 0;
  if (last) {
    const seconds = (Date.parse(state.at) - Date.parse(last.at)) / 1000;
    const rate = seconds > 0 ? Math.max(0, accepted - (last.answers['202'] ?? 0)) / seconds : 0;
    show('rate', numbers.format(Math.round(rate * 10) / 10));
  }
  last = state;
  const { lines, note } = recent.history;
  for (const name of Object.keys(lines)) byId('line-' + name).setAttribute('points', lines[name]);
  show('line-note', note);
  show('p50', milliseconds(recent.latency?.p50Ms));
  show('p99', milliseconds(recent.latency?.p99Ms));
  show('probe', health.kafka.latencyMs === undefined ? 'no answer' : milliseconds(health.kafka.latencyMs));
  show('limited', numbers.format(recent.answers['429'] ?? 0));
  show('unavailable', numbers.format(recent.answers['503'] ?? 0));
  show('quota', state.throttledMs === undefined ? 'none' : 'waits of ' + milliseconds(state.throttledMs));
  for (const element of document.querySelectorAll('.window')) element.textContent = 'in the last ' + durationOf(recent.seconds);
  list('answers', Object.entries(answers).sort().map(([status, count]) => [status, numbers.format(count)]));
  for (const outcome of ['acknowledged', 'rejected', 'unknown']) show(outcome, numbers.format(outcomes[outcome] ?? 0));
  table('checks', checks.map(({ name, status, since, output, next, runbook }) => [
    name, status, since ? timeOf(since) : '',
    [output, next, runbook && (RUNBOOKS
      ? { textContent: 'Runbook ' + runbook, href: RUNBOOKS + runbook }
      : 'Runbook docker/runbooks/' + runbook)].filter(Boolean),
  ]), 'none');
  table('problems', problems.map(({ at, status, code, details, requestId }) =>
    [at.slice(11, 19), status + ' ' + code, details, requestId]), 'none since the start');
};

const connect = () => {
  const events = new EventSource('console/events');
  events.onmessage = ({ data }) => {
    show('live', 'live');
    document.body.className = '';
    update(JSON.parse(data));
  };
  events.onerror = () => {
    show('live', 'disconnected; reconnecting');
    show('status', 'unreachable', 'unreachable');
    show('since', last ? 'since ' + timeOf(last.at) + ' UTC' : '…');
    document.title = 'unreachable · ' + TITLE;
    document.body.className = 'gone';
    show('status-note', 'This instance does not answer.' + (last ? ' All values are from ' + last.at.slice(11, 19) + ' UTC.' : ''));
    // A browser reconnects after a broken connection, but not after an answer such as a proxy's 502.
    if (events.readyState === EventSource.CLOSED) setTimeout(connect, 3000);
  };
};
connect();

const authorization = () => {
  const token = byId('token');
  return token && token.value ? { authorization: 'Bearer ' + token.value } : {};
};
/** Asks, and shows status and body of the answer. */
const ask = async (id, note, path, options) => {
  show(id + '-status', 'sending');
  try {
    const answer = await fetch(path, options);
    const body = JSON.parse(await answer.text());
    show(id + '-status', answer.status + ': ' + note(answer.status, body));
    show(id, JSON.stringify(body, null, 2));
    return body;
  } catch (error) {
    show(id + '-status', 'no answer: ' + error.message);
    show(id, '');
    return {};
  }
};
// Without tokens, the form leads to the page about the submission.
if (byId('token')) byId('search').addEventListener('submit', (event) => {
  event.preventDefault();
  const path = 'console/submission?' + new URLSearchParams(new FormData(event.target));
  void ask('found', (_status, body) => body.outcome ?? body.title, path, { headers: authorization() });
});

const violations = (errors) =>
  byId('violations').replaceChildren(...errors.map(({ pointer, detail }) => cell('li', pointer + ' ' + detail)));

const schema = byId('schema');
if (schema) schema.addEventListener('change', () => {
  byId('body').value = schema.selectedOptions[0].dataset.sample;
});
byId('submission').addEventListener('submit', async (event) => {
  event.preventDefault();
  const headers = { 'content-type': 'application/json' };
  if (byId('key').value) headers['idempotency-key'] = byId('key').value;
  if (schema) headers['operation-schema'] = schema.value;
  const accepted = (status, body) => status === 202
    ? 'record at topic ' + body.topic + ', partition ' + body.partition + ', offset ' + body.offset
    : body.title;
  const body = await ask('answer', accepted, 'operations', {
    method: 'POST', headers: { ...headers, ...authorization() }, body: byId('body').value,
  });
  violations(body.errors ?? []);
});
});
`;
