import { globSync } from 'node:fs';
import { workspaceRoot } from './documents.ts';

/** A page in the sidebar: a Markdown file of the workspace, or a file of a service, with its title. */
export type SidebarPage = string | { readonly title: string; readonly file: string };

export interface SidebarGroup {
  readonly title: string;
  readonly pages: readonly (SidebarPage | SidebarGroup)[];
}

const ofApp = (app: string, folder: string, ...names: string[]): string[] =>
  names.map((name) => `apps/${app}/${folder}${name}.md`);
/** The pages of an app's options: each has its settings and problems. */
const optionsOf = (app: string): SidebarGroup => ({
  title: 'Options',
  pages: globSync(`apps/${app}/src/features/*/README.md`, { cwd: workspaceRoot }).toSorted(),
});
const apiReference = (app: string): SidebarPage => ({
  title: 'API reference',
  file: `${app}/api-reference.html`,
});

/** The pages by product, and in each by reader: who calls it, who runs it, who judges or changes it. */
export const SIDEBAR: readonly SidebarGroup[] = [
  {
    title: 'Start',
    pages: [
      'README.md',
      '.github/CONTRIBUTING.md',
      '.github/TESTING.md',
      '.github/SECURITY.md',
      '.github/DEPENDENCIES.md',
      'CHANGELOG.md',
    ],
  },
  {
    title: 'release-web',
    pages: [
      'apps/release-web/README.md',
      {
        title: 'Use',
        pages: [
          apiReference('release-web'),
          ...ofApp('release-web', 'docs/', 'php-net', 'feeds', 'caching', 'errors'),
        ],
      },
      {
        title: 'Publish',
        pages: [
          ...ofApp('release-web', 'docs/', 'publishing', 'rules', 'signing'),
          'apps/release-web/data/README.md',
        ],
      },
      { title: 'Operate', pages: ofApp('release-web', 'docs/', 'settings', 'operations') },
      optionsOf('release-web'),
      'apps/release-web/docs/measurements.md',
    ],
  },
  {
    title: 'ops-intake',
    pages: [
      'apps/ops-intake/README.md',
      {
        title: 'Use',
        pages: [
          'apps/ops-intake/docs/submitting.md',
          'apps/ops-intake/examples/README.md',
          'apps/ops-intake/docs/own-fields.md',
          'apps/ops-intake/docs/bulk.md',
          apiReference('ops-intake'),
          'apps/ops-intake/docs/consuming.md',
          { title: 'Records (AsyncAPI)', file: 'ops-intake/asyncapi.yaml' },
          ...ofApp('ops-intake', 'docs/', 'access', 'errors', 'guarantees'),
        ],
      },
      {
        title: 'Operate',
        pages: ofApp(
          'ops-intake',
          'docs/',
          'settings',
          'operations',
          'audit-trail',
          'rejected',
          'schema-registry',
          'console',
          'kafka',
          'key-store',
        ),
      },
      optionsOf('ops-intake'),
      'apps/ops-intake/docs/measurements.md',
    ],
  },
  {
    title: 'ip-locate',
    pages: [
      'apps/ip-locate/README.md',
      {
        title: 'Use',
        pages: [
          'apps/ip-locate/docs/api.md',
          apiReference('ip-locate'),
          ...ofApp('ip-locate', 'docs/', 'fields', 'rate-limits', 'errors'),
        ],
      },
      {
        title: 'Operate',
        pages: ofApp('ip-locate', 'docs/', 'settings', 'operations', 'behind-a-proxy', 'data', 'databases'),
      },
      optionsOf('ip-locate'),
      'apps/ip-locate/examples/proxies/README.md',
      'apps/ip-locate/docs/measurements.md',
    ],
  },
  {
    title: 'Run it',
    pages: [
      'docker/README.md',
      'docker/docs/kubernetes.md',
      'docker/proxy/README.md',
      'docker/docs/images.md',
      'docker/docs/releases.md',
      'libs/service-kit/docs/settings.md',
      {
        title: 'Runbooks',
        pages: [
          'docker/runbooks/README.md',
          ...[
            'broker-unavailable',
            'replica-down',
            'proxy-down',
            'overload',
            'disk-full',
            'key-store-full',
            'key-store-lost',
            'kafka-settings',
            'feed-wrong',
            'data-stale',
            'growing',
            'shrinking',
            'rolling-back',
            'backup',
            'settings',
          ].map((name) => `docker/runbooks/${name}.md`),
        ],
      },
      'docker/docs/processes.md',
      'docker/docs/measurements.md',
    ],
  },
  {
    title: 'Libraries',
    pages: [
      'libs/README.md',
      'libs/http-connections/README.md',
      'libs/service-kit/README.md',
      'libs/service-process/README.md',
      'libs/api-reference/README.md',
      'libs/service-kit/docs/hostile-clients.md',
      'libs/service-kit/docs/generated-clients.md',
      'libs/kafka-producer/README.md',
      'libs/kafka-producer/docs/partitions.md',
      'libs/kafka-broker/README.md',
      'libs/documentation/README.md',
      'libs/workspace/README.md',
    ],
  },
];

/** All pages, in their order. */
export const pagesOf = (groups: readonly (SidebarPage | SidebarGroup)[]): SidebarPage[] =>
  groups.flatMap((entry) => (typeof entry === 'object' && 'pages' in entry ? pagesOf(entry.pages) : [entry]));
