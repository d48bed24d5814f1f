import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '@workspace/testing';

const MODULE = '/usr/lib/nginx/modules/ngx_http_geoip2_module.so';

/** Why nginx cannot be measured here; undefined when it can. */
export const nginxMissing = (): string | undefined =>
  ['/usr/sbin/nginx', MODULE].every((path) => existsSync(path))
    ? undefined
    : 'nginx and libnginx-mod-http-geoip2 are not installed';

/**
 * Configures nginx with the geoip2 module to answer `/<ip>/json` with the eight fields, in one process.
 * @returns the command to start, and the URL it will listen on
 */
export const nginxWithGeoip2 = async (
  database: string,
  folder: string,
): Promise<{ command: string[]; url: string }> => {
  mkdirSync(folder, { recursive: true });
  const port = await freePort();
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  );
  const conf = join(folder, 'nginx.conf');
  writeFileSync(
    conf,
    `daemon off; master_process off; pid ${folder}/pid; error_log stderr warn;
load_module ${MODULE};
events { worker_connections 512; }
http {
  access_log off; keepalive_requests 1000000000; ${temporary.join(' ')}
  map $uri $asked { "~^/(?<ip>[^/]+)/json$" $ip; }
  geoip2 ${database} {
    $city source=$asked city names en;
    $region source=$asked subdivisions 0 names en;
    $country source=$asked country iso_code;
    $postal source=$asked postal code;
    $latitude source=$asked location latitude;
    $longitude source=$asked location longitude;
    $timezone source=$asked location time_zone;
  }
  server {
    listen 127.0.0.1:${port};
    location / {
      default_type application/json;
      return 200 '{"ip":"$asked","city":"$city","region":"$region","country":"$country","postal":"$postal","latitude":$latitude,"longitude":$longitude,"timezone":"$timezone"}';
    }
  }
}
`,
  );
  return { command: ['nginx', '-p', folder, '-c', conf], url: `http://127.0.0.1:${port}` };
};
