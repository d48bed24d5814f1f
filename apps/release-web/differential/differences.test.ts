import { join } from 'node:path';
import { readmeTable } from '@workspace/testing';
import type { Answer, Asked } from './answers.ts';
import { type Context, DIFFERENCES, NOT_SHOWN } from './differences.ts';

const rows = readmeTable(join(__dirname, '../docs/php-net.md'), 'Differences').map(([request]) => request);
const NOTHING: Answer = { status: 200, type: null, location: null, body: '' };
const context: Context = { supported: new Set(['8.4']), builds: { json: NOTHING, versions: NOTHING } };
const explanations = (path: string, there: Partial<Answer>, here: Partial<Answer>, query = '') => {
  const asked: Asked = { path, query, method: 'GET' };
  return DIFFERENCES.filter(({ explains }) =>
    explains(asked, { ...NOTHING, ...there }, { ...NOTHING, ...here }, context),
  ).map(({ row }) => row);
};

const feed = (
  version: string,
  more = '',
) => `<feed><title>T</title><id>I</id><entry><title>PHP ${version}</title>
  <id>i</id><php:version>${version}</php:version><published>p</published>${more}
  <link rel="enclosure" title="f" href="/distributions/f"><php:sha256>s</php:sha256></link>
  <updated>u</updated><content src="i"/></entry></feed>`;

describe('the differences that are listed', () => {
  it('are those of docs/php-net.md', () => {
    expect([...DIFFERENCES.map(({ row }) => row), ...Object.keys(NOT_SHOWN)].sort()).toEqual(
      [...rows].sort(),
    );
  });

  it('let a feed have more members and absolute links, and nothing else', () => {
    const compare = (there: string, here: string) =>
      explanations('/releases/feed.php', { body: there }, { body: here });
    const absolute = feed('8.4.1', '<category term="x"/>').replace('href="', 'href="https://a.example');
    expect(compare(feed('8.4.1'), absolute)).toEqual(['/releases/feed.php']);
    expect(compare(feed('8.4.1'), feed('8.4.2'))).toEqual([]);
    expect(compare(feed('8.4.1'), feed('8.4.1').replace('>s<', '>t<'))).toEqual([]);
    expect(compare(feed('8.4.1'), '<feed><title>T</title><id>I</id></feed>')).toEqual([]);
    // Its branch is not supported any more.
    expect(compare(feed('8.1.1'), '<feed><title>T</title><id>I</id></feed>')).toEqual(['/releases/feed.php']);
  });

  it('let mirror-info differ in what is about the host', () => {
    const compare = (there: string, here: string) =>
      explanations('/mirror-info.php', { body: there }, { body: here });
    expect(compare('a|1|2|0|0|en|m|0|x|h|i', 'b|2|3|0|0|en|m|1|y|j|k')).toEqual(['/mirror-info.php']);
    expect(compare('a|1|2|0|0|en|m|0|x|h|i', 'b|2|3|0|0|de|m|1|y|j|k')).toEqual([]);
    expect(compare('a|1|2|0|0|en|m|0|x|h|i', 'b|2|3|0|0|en|m|1|y|j')).toEqual([]);
  });

  it('have no page in place of data, nor an error in place of an answer', () => {
    const page = { type: 'text/html; charset=utf-8' };
    const json = { type: 'application/json' };
    expect(explanations('/releases/index.php', page, page)).toEqual(['a page: /releases/']);
    expect(explanations('/releases/index.php', json, page)).toEqual([]);
    expect(explanations('/releases/index.php', page, { ...page, status: 500 })).toEqual([]);
    const problem = { status: 400, type: 'application/problem+json' };
    expect(explanations('/pre-release-builds.php', json, problem, 'format=xml')).toHaveLength(1);
    expect(explanations('/pre-release-builds.php', json, problem, 'format=json')).toEqual([]);
    expect(explanations('/pre-release-builds.php', page, {}, 'only[]=x&only=dev_versions')).toHaveLength(1);
  });
});
