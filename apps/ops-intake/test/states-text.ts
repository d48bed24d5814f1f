import {
  type State,
  type SubmissionEvent,
  transition,
  TRANSITIONS,
} from '../src/application/submission-states.ts';

const OUTCOMES = { accepted: '+', 'not-published': '0', unknown: '?' };

/** The answer and what the store learns of key and number, or the next state. */
const followOf = (state: State, event: SubmissionEvent, isAfterUnknown: boolean): string[] => {
  const { to, settle, answer } = transition(state, event, isAfterUnknown);
  const learned = settle ? OUTCOMES[settle.key] + (settle.number ? OUTCOMES[settle.number] : '') : '';
  // What is settled passes through `settling` before it ends.
  if (answer && to === (settle ? 'settling' : 'ended')) return [answer, learned];
  return [`→${to}${answer ? `:${answer}` : ''}`, learned];
};

/** The table of states, and what differs after an unknown attempt; events of a state with the same follow-up have one row. */
export const statesText = (): string => {
  const rows = [['state', 'event', 'next/answer', 'KN', 'after-unknown']];
  for (const [name, events] of Object.entries(TRANSITIONS)) {
    const state = name as State;
    const eventsOf = Map.groupBy(Object.keys(events) as SubmissionEvent[], (event) => {
      const [usual, other] = [false, true].map((isAfterUnknown) => followOf(state, event, isAfterUnknown));
      return JSON.stringify([...usual!, `${other}` === `${usual}` ? '' : other!.join(' ')]);
    });
    const first = rows.length;
    for (const [follow, same] of eventsOf)
      rows.push([rows.length === first ? state : '', same.join(), ...(JSON.parse(follow) as string[])]);
  }
  const widths = rows[0]!.map((_cell, column) => Math.max(...rows.map((row) => row[column]!.length)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column]!))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
};
