import { Refusal, type Service } from '@workspace/service-kit';
import { refusals } from '../errors.ts';
import type { ReleaseIndexQuery } from '../views/release-index.ts';
import { answers, type AnswerSource, getAll } from './answers.ts';

/** What php.net answers beside the contract, for the clients it has. */
export const neighbourRoutes = (app: Service, source: AnswerSource): void => {
  getAll(
    app,
    ['/releases/active.php', '/releases/active'],
    answers(source, (snapshot) => snapshot.active),
  );
  getAll(
    app,
    ['/releases/states.php', '/releases/states'],
    answers(source, (snapshot) => snapshot.states),
  );
  getAll(
    app,
    ['/releases/index.php', '/releases/index', '/releases/', '/releases'],
    answers(source, (snapshot, query) => {
      const parameters = query as Record<string, string | string[]>;
      if ('serialize' in parameters) return snapshot.releaseIndex(releaseIndexQuery(parameters), 'serialize');
      if ('json' in parameters) return snapshot.releaseIndex(releaseIndexQuery(parameters), 'json');
      return snapshot.releasesPage;
    }),
  );
};

const releaseIndexQuery = (parameters: Record<string, string | string[]>): ReleaseIndexQuery => {
  for (const name of ['version', 'max']) {
    if (!Object.keys(parameters).some((key) => key.startsWith(`${name}[`))) continue;
    throw new Refusal(refusals['unknown-choice'], { detail: `${name} takes one value, not a list.` });
  }
  const version = lastOf(parameters['version']);
  const max = lastOf(parameters['max']);
  return {
    ...(version !== undefined && { version }),
    ...(max !== undefined && { max: phpInteger(max) }),
  };
};

/** PHP keeps the last of repeated parameters. */
const lastOf = (value: string | string[] | undefined): string | undefined =>
  Array.isArray(value) ? value.at(-1) : value;

/** PHP's intval: the number a text starts with, else 0. */
const phpInteger = (text: string): number => Number(/^\s*([+-]?\d+)/.exec(text)?.[1] ?? 0);
