import type { Service } from '@workspace/service-kit';
import { choice } from '../http/choice.ts';
import { answers, type AnswerSource, getAll } from './answers.ts';

/** The paths of the contract that answer themselves. */
export const contractRoutes = (app: Service, source: AnswerSource): void => {
  getAll(
    app,
    ['/mirror-info.php', '/mirror-info'],
    answers(source, (snapshot) => snapshot.mirrorInfo),
  );
  getAll(
    app,
    ['/releases/feed.php', '/releases/feed'],
    answers(source, (snapshot) => snapshot.atomFeed),
  );
  getAll(
    app,
    ['/releases/branches.php', '/releases/branches'],
    answers(source, (snapshot) => snapshot.branches),
  );
  getAll(
    app,
    ['/pre-release-builds.php', '/pre-release-builds'],
    answers(source, (snapshot, query) => {
      const format = choice(query, 'format', ['json', 'serialize']) ?? 'json';
      const only = choice(query, 'only', ['dev_versions']);
      return (only ? snapshot.devVersions : snapshot.preReleases)[format];
    }),
  );
};
