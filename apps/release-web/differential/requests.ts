import fc from 'fast-check';
import { buildsQuery, indexQuery } from '../e2e/php-queries.ts';
import type { Asked } from './answers.ts';

const DAY = 86_400_000;

/** Instants around the days on which php.net's answers change, and any other from 1995 to 2045. @param days their midnights */
export const instantsAround = (days: readonly number[]): fc.Arbitrary<Date> =>
  fc
    .oneof(
      { weight: 2, arbitrary: fc.integer({ min: Date.UTC(1995), max: Date.UTC(2045) }) },
      {
        weight: 3,
        arbitrary: fc
          .tuple(
            fc.constantFrom(...days),
            // php.net shows a branch for four weeks after its end.
            fc.constantFrom(0, 0, 28),
            fc.constantFrom(-1000, 0, 1000, DAY - 1000, 2 * DAY),
          )
          .map(([day, later, offset]) => day + later * DAY + offset),
      },
    )
    .map((time) => new Date(Math.floor(time / 1000) * 1000));

/** Every path of php.net that release-web serves, and those without .php. */
export const askedOf = (versions: readonly string[], files: readonly string[]): fc.Arbitrary<Asked> => {
  const extension = fc.constantFrom('.php', '.php', '');
  const plain = fc.constantFrom('', '', 'json', 'serialize', 'format=json', 'cachebuster=1', 'lang=de');
  const known = fc.constantFrom(...versions);
  const target = fc.oneof(
    {
      weight: 6,
      arbitrary: fc.tuple(
        fc.oneof(
          extension.map((end) => `/releases/index${end}`),
          fc.constantFrom('/releases', '/releases/'),
        ),
        fc.oneof(
          indexQuery,
          fc
            .tuple(fc.constantFrom('json', 'serialize'), known, fc.constantFrom('', '&max=1', '&max=-1'))
            .map(([format, version, max]) => `${format}&version=${version}${max}`),
        ),
      ),
    },
    {
      weight: 4,
      arbitrary: fc.tuple(
        extension.map((end) => `/pre-release-builds${end}`),
        buildsQuery,
      ),
    },
    {
      weight: 3,
      arbitrary: fc.tuple(
        fc
          .tuple(
            fc.constantFrom(
              '/mirror-info',
              '/releases/feed',
              '/releases/branches',
              '/releases/active',
              '/releases/states',
            ),
            extension,
          )
          .map((parts) => parts.join('')),
        plain,
      ),
    },
    {
      weight: 1,
      arbitrary: fc.tuple(
        fc.constantFrom('/releases.atom', '/relases.atom', '/release-candidates.php', '/release-candidates'),
        fc.oneof(plain, buildsQuery),
      ),
    },
    {
      weight: 1,
      arbitrary: fc.tuple(
        fc.oneof(
          // 3.0.x (latest) has no page.
          known
            .filter((version) => /^[\d.]+$/.test(version))
            .map((version) => `/releases/${version.replaceAll('.', '_')}.php`),
          fc.constantFrom(...files, 'php-8.99.0.tar.gz').map((name) => `/distributions/${name}`),
        ),
        fc.constant(''),
      ),
    },
  );
  return fc.tuple(target, fc.constantFrom('GET', 'GET', 'GET', 'HEAD')).map(([[path, query], method]) => ({
    path,
    // As fetch sends it.
    query: new URL(`http://site/?${query}`).search.slice(1),
    method: method as Asked['method'],
  }));
};
