import { type Catalogue, latestRelease, majorOf, supportDates } from '@workspace/release-catalogue';
import type { Service } from '@workspace/service-kit';
import { graceEnd } from '../../domain/transitions.ts';
import { aliased } from '../rendering/aliased.ts';
import type { Answers } from '../rendering/answers.ts';
import { cacheable } from '../rendering/cacheable.ts';
import { jsonRepresentation } from './php-representation.ts';
import type { PhpValue } from './php-value.ts';
import { published } from './release-index-view.ts';
import { PhpActive } from './schemas.ts';

/** Current releases by major version and branch. @param paths the documented one first */
export const activeReleases = (app: Service, paths: readonly string[], answers: Answers): void => {
  const answer = answers.prepare(({ catalogue, builtAt }) =>
    jsonRepresentation(activeView(catalogue, builtAt)),
  );
  const route = {
    operationId: 'phpActive',
    tags: ['php.net'],
    summary: 'Current releases by major version and branch',
    response: cacheable('The releases.', { 'application/json': PhpActive }),
  };
  for (const [path, schema] of aliased(paths, route)) {
    app.get(path, { schema }, (request, reply) => answers.respond(request, reply, answer));
  }
};

/** `/releases/active.php`: current releases by major and branch, ascending, four weeks beyond their end. */
export const activeView = (catalogue: Catalogue, now: Date): PhpValue => {
  const byMajor = new Map<string, Map<string, PhpValue>>();
  for (const branch of catalogue.branches) {
    const { securitySupportEnd } = supportDates(branch);
    const release = branch.current && latestRelease(branch);
    if (!release || !securitySupportEnd || now >= graceEnd(securitySupportEnd)) continue;
    const major = String(majorOf(branch.branch));
    const releases = byMajor.get(major) ?? new Map<string, PhpValue>();
    byMajor.set(major, releases.set(branch.branch, { ...published(release), version: release.version }));
  }
  return byMajor;
};
