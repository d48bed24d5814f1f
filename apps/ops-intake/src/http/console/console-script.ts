/** The console's script: shows the states that arrive as server-sent events, and submits what the form contains. */
export const CONSOLE_SCRIPT = `'use strict';
const byId = (id) => document.getElementById(id);
const numbers = new Intl.NumberFormat('en');
const show = (id, text, state) => {
  const element = byId(id);
  if (element.textContent !== text) element.textContent = text;
  if (state !== undefined) element.className = 'state ' + state;
};
const HISTORY = 60;
const rates = [];
let last;

const list = (id, entries) => {
  const rows = entries.flatMap(([term, value]) => {
    const dt = document.createElement('dt');
    const dd = document.createElement('dd');
    dt.textContent = term;
    dd.textContent = value;
    return [dt, dd];
  });
  byId(id).replaceChildren(...rows);
};
const table = (id, rows, none) => {
  const cells = rows.length > 0 ? rows : [[none]];
  byId(id).replaceChildren(
    ...cells.map((row) => {
      const tr = document.createElement('tr');
      for (const [index, value] of row.entries()) {
        const td = document.createElement('td');
        td.textContent = value;
        if (row.length === 1) td.colSpan = 4;
        if (id === 'checks' && index === 1) td.className = 'state ' + value;
        tr.append(td);
      }
      return tr;
    }),
  );
};
const counts = (record) => {
  const entries = Object.entries(record).sort().map(([key, value]) => [key, numbers.format(value)]);
  return entries.length > 0 ? entries : [['none yet', '']];
};

const update = (state) => {
  const { health, queue, answers, outcomes, problems } = state;
  show('status', health.status, health.status);
  show('kafka', health.kafka.status, health.kafka.status);
  list('kafka-facts', [
    ['Brokers', health.kafka['bootstrap-servers']],
    ['Topic', health.kafka.topic],
    ['Probe', health.kafka.latencyMs === undefined ? 'no answer' : health.kafka.latencyMs.toFixed(1) + ' ms'],
    ...(health.kafka.error ? [['Error', health.kafka.error]] : []),
  ]);
  show('queued', numbers.format(queue.records));
  show('queued-bytes', numbers.format(queue.bytes) + ' bytes');
  const accepted = answers['202'] ?? 0;
  if (last) {
    const seconds = (Date.parse(state.at) - Date.parse(last.at)) / 1000;
    const rate = seconds > 0 ? Math.max(0, accepted - (last.answers['202'] ?? 0)) / seconds : 0;
    rates.push(rate);
    if (rates.length > HISTORY) rates.shift();
    show('rate', numbers.format(Math.round(rate * 10) / 10));
    const top = Math.max(1, ...rates);
    const points = rates.map((value, index) => index * (300 / (HISTORY - 1)) + ',' + (58 - (value / top) * 54));
    byId('line').setAttribute('points', points.join(' '));
  }
  last = state;
  list('answers', counts(answers));
  list('outcomes', counts(outcomes));
  table('checks', Object.entries(health.checks).flatMap(([name, checks]) =>
    checks.map((check) => [name, check.status, check.output ?? ''])), 'none');
  table('problems', problems.map(({ at, status, code, detail, title, requestId }) =>
    [at.slice(11, 19), status + ' ' + code, detail ?? title, requestId]), 'none since the start');
};

const events = new EventSource('console/events');
events.onmessage = ({ data }) => {
  show('live', 'live');
  update(JSON.parse(data));
};
events.onerror = () => show('live', 'disconnected; reconnecting');

byId('submission').addEventListener('submit', async (event) => {
  event.preventDefault();
  const headers = { 'content-type': 'application/json' };
  if (byId('key').value) headers['idempotency-key'] = byId('key').value;
  const token = byId('token');
  if (token && token.value) headers.authorization = 'Bearer ' + token.value;
  show('answer-status', 'sending');
  try {
    const answer = await fetch('operations', { method: 'POST', headers, body: byId('body').value });
    const text = await answer.text();
    const body = JSON.parse(text);
    const position = answer.status === 202
      ? ': record at topic ' + body.topic + ', partition ' + body.partition + ', offset ' + body.offset
      : ': ' + body.title;
    show('answer-status', answer.status + position);
    show('answer', JSON.stringify(body, null, 2));
  } catch (error) {
    show('answer-status', 'no answer: ' + error.message);
    show('answer', '');
  }
});
`;
