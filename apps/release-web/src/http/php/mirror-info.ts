import { type Catalogue, latestRelease } from '@workspace/release-catalogue';
import { Type } from '@sinclair/typebox';
import { unconditional } from '../rendering/cacheable.ts';
import type { Site } from '../site.ts';
import type { Answers } from '../rendering/answers.ts';
import { Representation } from '../rendering/representation.ts';

const MEDIA_TYPE = 'text/plain; charset=utf-8';

/** Host information for the scripts that watch mirrors. @param paths the documented one first */
export const mirrorInfo = (answers: Answers, paths: readonly string[]): void => {
  const { site } = answers;
  answers.route(
    paths,
    {
      operationId: 'mirrorInfo',
      tags: ['contract'],
      summary: 'Eleven fields about this host in one line, separated by |',
      response: unconditional('The line of text. It never gets 304.', {
        'text/plain': Type.String({
          examples: [
            'http://localhost:3001/|24.21.0|1786579200|0|0|en|manual-noalias|1|releases,feed,branches,pre-releases|localhost|127.0.0.1',
          ],
        }),
      }),
    },
    ({ catalogue }) =>
      // The contract says that it is always 200.
      new Representation(MEDIA_TYPE, mirrorInfoLine(catalogue, site), { isUnconditional: true }).popular(),
    // Its fields show that there is no data.
    (reply) =>
      reply
        .headers({ 'cache-control': 'no-store', 'content-type': MEDIA_TYPE })
        .send(mirrorInfoLine(null, site)),
  );
};

/** `/mirror-info.php`: eleven fields in one line, for the scripts that watch mirrors. @param catalogue null: no data */
const mirrorInfoLine = (catalogue: Catalogue | null, { baseUrl, runtimeVersion, settings }: Site): string =>
  [
    `${baseUrl}/`,
    runtimeVersion,
    catalogue ? Math.floor(catalogue.revision.getTime() / 1000) : 0,
    0, // bit mask of SQLite drivers: none
    0, // no local statistics
    'en',
    'manual-noalias',
    catalogue && newestReleaseVerifies(catalogue) ? 1 : 0,
    'releases,feed,branches,pre-releases',
    settings.MIRROR_HOSTNAME,
    settings.MIRROR_ADDRESS,
  ]
    .map((field) => String(field).replace(/[|\r\n]/g, ''))
    .join('|');

/** Whether every file of the newest release has a SHA-256 digest one could verify it with. */
const newestReleaseVerifies = (catalogue: Catalogue): boolean => {
  const newest = [...catalogue.branches].reverse().map(latestRelease).find(Boolean);
  return (
    newest !== undefined &&
    newest.published.source.every((file) => 'sha256' in file && /^[0-9a-f]{64}$/.test(file.sha256 ?? ''))
  );
};
