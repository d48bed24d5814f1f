/** `npx nx run ip-locate:geo-headers` writes what this returns to examples/proxies/geo-headers.conf. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { GEO_DECISION, GEO_ERROR, GEO_REASON, geoHeader } from '../src/features/access-rules/geo-headers.ts';
import { FIELD_NAMES } from '../src/http/lookup/fields.ts';

export const FILE = join(import.meta.dirname, '../examples/proxies/geo-headers.conf');
const PASSED = ['country', 'city', 'error'].map(geoHeader);

/** nginx's directives for a site behind it: it cannot remove headers by a prefix, so each is named. */
export const geoHeadersConf = (): string => {
  const all = [...FIELD_NAMES.map(geoHeader), GEO_ERROR, GEO_DECISION, GEO_REASON];
  const variableOf = (name: string): string => name.slice(2).replaceAll('-', '_');
  const spelled = (name: string): string => name.replace(/(^|-)[a-z]/g, (start) => start.toUpperCase());
  return [
    '# What nginx tells the site: each header of /auth that it wants by its value, all others removed.',
    ...PASSED.map(
      (name) => `auth_request_set $${variableOf(name)} $upstream_http_${name.replaceAll('-', '_')};`,
    ),
    ...PASSED.map((name) => `proxy_set_header ${spelled(name)} $${variableOf(name)};`),
    ...all.filter((name) => !PASSED.includes(name)).map((name) => `proxy_set_header ${spelled(name)} "";`),
    '',
  ].join('\n');
};

if (process.argv[1] === import.meta.filename) writeFileSync(FILE, geoHeadersConf());
