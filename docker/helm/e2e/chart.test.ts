import { execFileSync } from 'node:child_process';
import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';
import { missingTools, workspaceRoot } from '@workspace/testing';
/* eslint-disable @nx/enforce-module-boundaries -- the schemas that the running services read their environment by */
import { readConfig } from '@workspace/service-process';
import * as ipLocateConfig from '../../../apps/ip-locate/src/config.ts';
import { options as ipLocateOptions } from '../../../apps/ip-locate/src/features.ts';
import { settingsOf, violationsOf } from '../../../apps/ops-intake/src/config.ts';
import { options } from '../../../apps/ops-intake/src/features.ts';
import * as releaseWeb from '../../../apps/release-web/src/config.ts';
/* eslint-enable @nx/enforce-module-boundaries */
import {
  CHART,
  conformance,
  EXAMPLES,
  example,
  helm,
  type Pod,
  read,
  render,
  REQUIRED,
  renderRelease,
  type Resource,
  resourcesOf,
} from './helm.ts';

const APPS = ['release-web', 'ops-intake', 'ip-locate'] as const;
type App = (typeof APPS)[number];
const VERSIONS = ['1.34.9', '1.37.0'];
/** What installations look like: as it comes, each example alone, and everything at once. */
const INSTALLATIONS = [
  [],
  ...EXAMPLES.map((name) => [name]),
  EXAMPLES.filter(
    (name) => !['existing-gateway.yaml', 'ip-locate-only.yaml', 'release-data-git.yaml'].includes(name),
  ),
];
/** Secrets have a value that each service accepts. */
const SECRETS: Record<string, string> = {
  AUTH_TOKENS: 'client:0123456789abcdef',
  IDEMPOTENCY_STORE_URL: 'redis://valkey.valkey:6379',
  RATE_LIMIT_STORE_URL: 'redis://valkey.valkey:6379',
};

if (missingTools('go').length > 0)
  throw new Error('the chart’s tools are built by Go, which is not installed');

const renderExamples = (names: readonly string[]) => render(...REQUIRED, ...example(...names));
/** The name of what belongs to a service, in the release that these tests render. */
const nameOf = (service: string) => `three-services-${service}`;
const podOf = ({ kind, spec }: Resource): Pod =>
  kind === 'CronJob' ? spec.jobTemplate.spec.template.spec : spec.template.spec;
const find = (resources: Resource[], kind: string, name: string): Resource => {
  const found = resources.find((one) => one.kind === kind && one.metadata.name === name);
  if (!found) throw new Error(`there is no ${kind} ${name}`);
  return found;
};

describe.each(INSTALLATIONS.map((names) => [names.join(' + ') || 'no example', names] as const))(
  'the chart with %s',
  (_title, names) => {
    it('passes helm lint', () => {
      expect(helm('lint', '--strict', CHART, ...REQUIRED, ...example(...names))).toMatchObject({ status: 0 });
    });

    it.each(VERSIONS)('conforms to Kubernetes %s in every word', (version) => {
      const { status, output } = conformance(version, renderExamples(names));
      expect(output).toMatch(
        /Summary: (\d+) resources found parsing stdin - Valid: \1, Invalid: 0, Errors: 0, Skipped: 0/,
      );
      expect(status).toBe(0);
    });

    it('sets only what the services read, and nothing that they reject', () => {
      const opsIntake = {
        Config: settingsOf(options),
        configViolations: violationsOf(options),
      };
      const ipLocate = {
        Config: ipLocateConfig.settingsOf(ipLocateOptions),
        configViolations: (config: ipLocateConfig.Config) =>
          ipLocateConfig.configViolations(config, ipLocateOptions),
      };
      const schemas = { 'release-web': releaseWeb, 'ops-intake': opsIntake, 'ip-locate': ipLocate };
      for (const deployment of resourcesOf(renderExamples(names)).filter(
        ({ kind }) => kind === 'Deployment',
      )) {
        const app = schemas[podOf(deployment).containers[0].name as App];
        const { Config } = app;
        const violations = 'configViolations' in app ? app.configViolations : undefined;
        const env = Object.fromEntries(
          (podOf(deployment).containers[0].env ?? []).map(({ name, value }) => [
            name,
            value ?? SECRETS[name] ?? 'a-secret',
          ]),
        );
        expect(Object.keys(env).filter((name) => !(name in Config.properties))).toEqual([]);
        const read = readConfig as (...args: unknown[]) => unknown;
        // As the images set it: every pod listens on all its addresses.
        expect(() => read(Config, { HOST: '0.0.0.0', ...env }, violations)).not.toThrow();
      }
    });

    it('runs every pod without rights and read-only', () => {
      const pods = resourcesOf(renderExamples(names))
        .filter(({ kind }) => ['Deployment', 'CronJob'].includes(kind))
        .map(podOf);
      expect(pods.length).toBeGreaterThan(0);
      for (const pod of pods) {
        expect(pod.securityContext).toMatchObject({
          runAsNonRoot: true,
          runAsUser: 1000,
          seccompProfile: { type: 'RuntimeDefault' },
        });
        for (const { securityContext } of [...(pod.initContainers ?? []), ...pod.containers]) {
          expect(securityContext).toEqual({
            allowPrivilegeEscalation: false,
            readOnlyRootFilesystem: true,
            capabilities: { drop: ['ALL'] },
          });
        }
      }
    });

    it('labels everything, and puts it into the namespace', () => {
      for (const { metadata } of resourcesOf(renderExamples(names))) {
        expect(metadata.namespace).toBe('three-services');
        expect(metadata.labels).toMatchObject({
          'app.kubernetes.io/name': expect.stringMatching(
            /^(three-services|release-web|ops-intake|ip-locate)$/,
          ),
          'app.kubernetes.io/instance': 'three-services',
          'app.kubernetes.io/part-of': 'three-services',
          'app.kubernetes.io/managed-by': 'Helm',
        });
      }
    });
  },
);

describe('what the chart does not accept', () => {
  it.each([
    ['no registry', ['--set', 'domain=example.com'], /Set image\.registry/],
    ['a route without a domain', ['--set', 'image.registry=x', ...example('ingress.yaml')], /Set domain/],
    [
      'a route without a Gateway',
      [...REQUIRED, '--set', 'gateway.enabled=true'],
      /gateway\.className or gateway\.parentRefs/,
    ],
    [
      'pods under a label that selects them',
      [...REQUIRED, '--set-json', 'ip-locate.podLabels={"app.kubernetes.io/name":"x"}'],
      /invalid propertyName 'app\.kubernetes\.io\/name'/,
    ],
    ['a misspelt value', [...REQUIRED, '--set', 'ops-intake.enabld=false'], /enabld/],
    [
      'fewer replicas at most than at least',
      [...REQUIRED, '--set', 'ip-locate.autoscaling.minReplicas=7'],
      /ip-locate\.autoscaling\.maxReplicas is below minReplicas/,
    ],
    [
      'an autoscaler without a request to compare the CPU with',
      [...REQUIRED, '--set', 'ip-locate.resources=null'],
      /ip-locate\.autoscaling needs resources\.requests\.cpu/,
    ],
    ...(
      [
        ['a probe of another path', 'livenessProbe={"httpGet":{"path":"/health"}}', /httpGet/],
        ['a probe without time', 'readinessProbe={"timeoutSeconds":0}', /timeoutSeconds/],
        ['a type of Service without pods', 'serviceType="ExternalName"', /serviceType/],
        ['an image without a tag and a digest', 'image.tag=""', /Set ip-locate\.image\.tag/],
        ['a digest without digits', 'image.digest="sha256:"', /digest/],
        ['a host name with a path', 'hostnames=["a.example/b"]', /hostnames\/0/],
        ['a spread without a topology', 'topologySpreadConstraints=[{"maxSkew":1}]', /topologyKey/],
      ] as const
    ).map(([title, value, message]): [string, string[], RegExp] => [
      title,
      [...REQUIRED, '--set-json', `ip-locate.${value}`],
      message,
    ]),
    ...['networkPolicy.clientCidrs=["10.0.0.1"]', 'networkPolicy.dns={"namespaces":[],"cidrs":[]}'].map(
      (value): [string, string[], RegExp] => [value, [...REQUIRED, '--set-json', value], /networkPolicy/],
    ),
    ...[
      '[{"ports":[443]}]',
      '[{"namespaces":[],"cidrs":[],"ports":[443]}]',
      '[{"cidrs":["10.0.0.1"],"ports":[443]}]',
      '[{"cidrs":["10.0.0.0/8"],"ports":[70000]}]',
    ].map((egress): [string, string[], RegExp] => [
      `egress to anywhere, or to what is no network or port: ${egress}`,
      [...REQUIRED, '--set-json', `ip-locate.egress=${egress}`],
      /ip-locate\/egress\/0/,
    ]),
  ])('%s', (_title, flags, message) => {
    expect(() => render(...flags)).toThrow(message);
  });

  it.each([
    ['Deployment', 'readOnlyRootFilesystem:', 'readOnlyRoot:'],
    ['HTTPRoute', 'timeouts:', 'timeout:'],
    ['PrometheusRule', 'annotations:', 'annotation:'],
    ['ServiceMonitor', 'endpoints:', 'endpoint:'],
    ['NetworkPolicy', 'podSelector:', 'podSelect:'],
  ])('a misspelt word in a %s, which the schemas notice', (kind, word, misspelt) => {
    const manifests = renderExamples(['gateway.yaml', 'monitoring.yaml'])
      .split('\n---\n')
      .filter((text) => text.includes(`\nkind: ${kind}\n`) && text.includes(word));
    expect(manifests.length).toBeGreaterThan(0);
    for (const version of VERSIONS) {
      expect(conformance(version, String(manifests[0])).status).toBe(0);
      expect(conformance(version, String(manifests[0]).replace(word, misspelt)).status).toBe(1);
    }
  });
});

describe.each(APPS)('%s in the chart', (app) => {
  const resources = resourcesOf(renderExamples([]));
  const deployment = find(resources, 'Deployment', nameOf(app));
  const { labels } = deployment.spec.template.metadata;
  const container = podOf(deployment).containers[0];

  it('has everything a service needs, under its name', () => {
    expect(
      resources
        .filter(({ metadata }) => metadata.name === nameOf(app))
        .map(({ kind }) => kind)
        .sort(),
    ).toEqual([
      'Deployment',
      'HorizontalPodAutoscaler',
      'NetworkPolicy',
      'PodDisruptionBudget',
      'Service',
      'ServiceAccount',
    ]);
  });

  it('selects the pods it means', () => {
    const selectors = [
      deployment.spec.selector.matchLabels,
      find(resources, 'Service', nameOf(app)).spec.selector,
      find(resources, 'PodDisruptionBudget', nameOf(app)).spec.selector.matchLabels,
      find(resources, 'NetworkPolicy', nameOf(app)).spec.podSelector.matchLabels,
    ];
    for (const selector of selectors) {
      expect(selector).toEqual({
        'app.kubernetes.io/name': app,
        'app.kubernetes.io/instance': 'three-services',
        'app.kubernetes.io/component': 'service',
      });
      expect(labels).toMatchObject(selector);
    }
    const monitored = resourcesOf(renderExamples(['monitoring.yaml']));
    expect(find(monitored, 'Service', nameOf(app)).metadata.labels).toMatchObject(
      find(monitored, 'ServiceMonitor', nameOf(app)).spec.selector.matchLabels,
    );
  });

  it('names the ports the image opens', () => {
    const exposed = /^EXPOSE (\d+) (\d+)$/m.exec(read(`apps/${app}/Dockerfile`));
    expect(container.ports).toEqual([
      { name: 'http', containerPort: Number(exposed?.[1]) },
      { name: 'management', containerPort: Number(exposed?.[2]) },
    ]);
  });

  it('probes paths that the management listener has', () => {
    const management = read('libs/service-process/src/management.ts');
    const paths = [...render(...REQUIRED).matchAll(/path: (\/[a-z]+[a-z/]*)/g)].map(([, path]) => path);
    expect(new Set(paths)).toEqual(new Set(['/health/live', '/health/ready']));
    for (const path of paths) expect(management).toContain(`'${path}'`);
  });

  it('gives the service the time it takes to end', () => {
    const { DRAIN_DELAY_MS, SHUTDOWN_TIMEOUT_MS } = { ...releaseWeb.Config.properties };
    const needed =
      container.lifecycle.preStop.sleep.seconds * 1000 +
      Number(DRAIN_DELAY_MS.default) +
      Number(SHUTDOWN_TIMEOUT_MS.default);
    expect(needed).toBeGreaterThan(10_000);
    expect(podOf(deployment).terminationGracePeriodSeconds * 1000).toBeGreaterThan(needed);
  });

  it('follows the ports and the time to end that its variables set', () => {
    const env = ['PORT=8080', 'MANAGEMENT_PORT=9000', 'SHUTDOWN_TIMEOUT_MS=30000'];
    const set = resourcesOf(
      render(...REQUIRED, ...env.flatMap((variable) => ['--set', `${app}.env.${variable}`])),
    );
    const pod = podOf(find(set, 'Deployment', nameOf(app)));
    expect(pod.containers[0].ports.map(({ containerPort }) => containerPort)).toEqual([8080, 9000]);
    expect(pod.terminationGracePeriodSeconds).toBe(40);
  });

  it('leaves the number of replicas to the autoscaler, and never has fewer than two', () => {
    expect(deployment.spec.replicas).toBeUndefined();
    expect(find(resources, 'HorizontalPodAutoscaler', nameOf(app)).spec.minReplicas).toBeGreaterThanOrEqual(
      2,
    );
    const fixed = resourcesOf(render(...REQUIRED, '--set', `${app}.autoscaling.enabled=false`));
    expect(find(fixed, 'Deployment', nameOf(app)).spec.replicas).toBe(2);
  });

  it('uses a digest in place of the tag', () => {
    expect(container.image).toMatch(new RegExp(`^ghcr\\.io/example/${app}:\\d+\\.\\d+\\.\\d+$`));
    const pinned = resourcesOf(render(...REQUIRED, '--set', `${app}.image.digest=sha256:abc`));
    expect(podOf(find(pinned, 'Deployment', nameOf(app))).containers[0].image).toBe(
      `ghcr.io/example/${app}@sha256:abc`,
    );
  });
});

describe('values that Kubernetes limits and its schemas do not', () => {
  it('has no rule for clients when their list is empty, which would be an invalid selector', () => {
    const resources = resourcesOf(render(...REQUIRED, '--set-json', 'networkPolicy.clients=[]'));
    const { ingress } = find(resources, 'NetworkPolicy', nameOf('ip-locate')).spec;
    expect(ingress.map((rule: { ports: { port: string }[] }) => rule.ports[0]?.port)).toEqual(['management']);
  });

  it('leaves out resources that are null, where no autoscaler needs them', () => {
    const flags = ['--set', 'ip-locate.resources=null', '--set', 'ip-locate.autoscaling.enabled=false'];
    const manifests = render(...REQUIRED, ...flags);
    expect(conformance(VERSIONS[0]!, manifests).status).toBe(0);
    const { containers } = podOf(find(resourcesOf(manifests), 'Deployment', nameOf('ip-locate')));
    expect(containers[0]).not.toHaveProperty('resources');
  });

  it.each(VERSIONS)('takes names that YAML reads as numbers or booleans, by Kubernetes %s', (version) => {
    const names = [
      ['image.pullSecrets[0]', '1'],
      ['gateway.className', 'on'],
      ['gateway.certificate', '2'],
      ['ingress.className', 'yes'],
      ['ingress.certificate', '3'],
      ['networkPolicy.prometheus', '4'],
      ['priorityClassName', 'true'],
      ['ip-locate.data.storageClassName', '5'],
      ['release-web.data.existingClaim', '6'],
      ['ops-intake.secretEnv.AUTH_TOKENS.name', '7'],
      ['ops-intake.secretEnv.AUTH_TOKENS.key', '8'],
    ].flatMap(([name, value]) => ['--set-string', `${name}=${value}`]);
    const everything = example('gateway.yaml', 'ingress.yaml', 'monitoring.yaml');
    const data = ['--set', 'ip-locate.data.enabled=true', '--set', 'release-web.data.enabled=true'];
    const flags = ['--namespace', '1234', ...REQUIRED, ...everything, ...data, ...names];
    const { status, output } = conformance(version, renderRelease('true', ...flags));
    expect([status, output]).toEqual([0, expect.stringContaining('Invalid: 0, Errors: 0')]);
  });

  it('writes large numbers in full, which services would not read otherwise', () => {
    const resources = resourcesOf(
      render(...REQUIRED, '--set-json', 'ops-intake.env={"BODY_LIMIT_BYTES":1048576}'),
    );
    const { env } = podOf(find(resources, 'Deployment', nameOf('ops-intake'))).containers[0];
    expect(env).toContainEqual({ name: 'BODY_LIMIT_BYTES', value: '1048576' });
  });

  it('rejects a variable that is in env and in secretEnv, of which Kubernetes would take one', () => {
    expect(() => render(...REQUIRED, '--set', 'ops-intake.env.AUTH_TOKENS=client:0123456789abcdef')).toThrow(
      /ops-intake has AUTH_TOKENS in env and in secretEnv: set one of them to null/,
    );
  });

  it('opens all ports of a peer without ports', () => {
    const manifests = render(...REQUIRED, '--set-json', 'ip-locate.egress=[{"cidrs":["10.0.0.0/8"]}]');
    expect(conformance(VERSIONS[0]!, manifests)).toMatchObject({ status: 0 });
    const { egress } = find(resourcesOf(manifests), 'NetworkPolicy', nameOf('ip-locate')).spec;
    expect(egress).toContainEqual({ to: [{ ipBlock: { cidr: '10.0.0.0/8' } }] });
  });

  it('shortens a tag to a valid label', () => {
    const tag = `${'t'.repeat(62)}.${'t'.repeat(20)}`;
    const resources = resourcesOf(render(...REQUIRED, '--set', `ip-locate.image.tag=${tag}`));
    const { metadata } = find(resources, 'Deployment', nameOf('ip-locate'));
    expect(metadata.labels['app.kubernetes.io/version']).toBe('t'.repeat(62));
  });

  it.each(['1st', 'a.b'])('rejects the release name %s, because no Service can be named after it', (name) => {
    expect(() => renderRelease(name, ...REQUIRED)).toThrow(/release name starts with a letter/);
  });
});

describe('two releases in one namespace', () => {
  const examples = example(
    ...EXAMPLES.filter(
      (name) => !['existing-gateway.yaml', 'ip-locate-only.yaml', 'release-data-git.yaml'].includes(name),
    ),
  );
  const release = (name: string) => resourcesOf(renderRelease(name, ...REQUIRED, ...examples));
  const [first, second] = [release('first'), release('second')];
  const names = (resources: Resource[]) => resources.map(({ kind, metadata }) => `${kind}/${metadata.name}`);
  /** Every value of a property, wherever it is. */
  const valuesOf = (value: unknown, property: string): unknown[] =>
    typeof value !== 'object' || value === null
      ? []
      : Object.entries(value).flatMap(([key, inner]) =>
          key === property ? [inner] : valuesOf(inner, property),
        );

  it('have no name in common', () => {
    expect(first.length).toBeGreaterThan(30);
    expect(second).toHaveLength(first.length);
    expect(new Set(names(first)).size).toBe(first.length);
    expect(names(first).filter((name) => names(second).includes(name))).toEqual([]);
  });

  it('select only what is their own', () => {
    const selectors = first.flatMap((resource) => [
      ...valuesOf(resource, 'matchLabels'),
      ...(resource.kind === 'Service' ? [resource.spec.selector] : []),
    ]) as Record<string, string>[];
    const own = selectors.filter((labels) => 'app.kubernetes.io/name' in labels);
    expect(own.length).toBeGreaterThan(15);
    for (const labels of own) expect(labels['app.kubernetes.io/instance']).toBe('first');
  });

  it.each([
    ['backendRefs', 'Service'],
    ['service', 'Service'],
    ['scaleTargetRef', 'Deployment'],
    ['serviceAccountName', 'ServiceAccount'],
    ['persistentVolumeClaim', 'PersistentVolumeClaim'],
    ['parentRefs', 'Gateway'],
  ])('refer by %s to a %s of their own', (property, kind) => {
    const referred = first
      .flatMap((resource) => valuesOf(resource, property))
      .flat()
      .map((value) =>
        typeof value === 'string'
          ? value
          : ((value as { name?: string }).name ?? (value as { claimName?: string }).claimName),
      );
    expect(referred.length).toBeGreaterThan(0);
    for (const name of referred) expect(names(first)).toContain(`${kind}/${name}`);
  });

  it('have names that Kubernetes accepts, or are not rendered', () => {
    // The longest name is that of a CronJob, which may have 52 characters.
    const longest = names(release('r'.repeat(35))).map((name) => String(name.split('/')[1]));
    expect(Math.max(...longest.map((name) => name.length))).toBeLessThanOrEqual(63);
    expect(() => release('r'.repeat(36))).toThrow(/release name .* 35 characters/);
  });
});

describe('the files of the chart', () => {
  it.each(['values.yaml', 'Chart.yaml', ...EXAMPLES.map((name) => `values/${name}`)])(
    '%s has no key twice',
    (name) => {
      const text = read(`docker/helm/three-services/${name}`);
      expect(parseAllDocuments(text).flatMap(({ errors }) => errors.map(String))).toEqual([]);
    },
  );
});

describe('the pods', () => {
  it.each(APPS)('of %s are spread over zones and over hosts, those of a new version by themselves', (app) => {
    const { spec } = find(resourcesOf(renderExamples([])), 'Deployment', nameOf(app)).spec.template;
    const constraints = spec.topologySpreadConstraints as Record<string, unknown>[];
    expect(constraints.map(({ topologyKey }) => topologyKey)).toEqual([
      'topology.kubernetes.io/zone',
      'kubernetes.io/hostname',
    ]);
    for (const constraint of constraints) {
      expect(constraint).toMatchObject({
        maxSkew: 1,
        whenUnsatisfiable: 'ScheduleAnyway',
        matchLabelKeys: ['pod-template-hash'],
        labelSelector: { matchLabels: { 'app.kubernetes.io/name': app } },
      });
    }
  });

  it.each(APPS)('of %s have what is set for them, and those of others do not', (app) => {
    const own: Record<string, unknown> = {
      serviceAccountAnnotations: { 'eks.amazonaws.com/role-arn': 'arn:aws:iam::1:role/x' },
      serviceAnnotations: { 'cloud.google.com/neg': '{"ingress": true}' },
      podAnnotations: { 'sidecar.istio.io/inject': 'false' },
      podLabels: { team: 'a' },
      nodeSelector: { disk: 'ssd' },
      tolerations: [{ key: 'a', operator: 'Exists' }],
      affinity: { nodeAffinity: {} },
      envFrom: [{ configMapRef: { name: 'more' } }],
    };
    const flags = Object.entries(own).flatMap(([name, value]) => [
      '--set-json',
      `${app}.${name}=${JSON.stringify(value)}`,
    ]);
    const manifests = render(...REQUIRED, '--set', 'nodeSelector.pool=b', ...flags);
    expect(conformance(VERSIONS[0]!, manifests)).toMatchObject({ status: 0 });
    const resources = resourcesOf(manifests);
    const shown = (name: string) => {
      const annotationsOf = (kind: string) =>
        (find(resources, kind, nameOf(name)).metadata as { annotations?: object }).annotations;
      const { metadata, spec } = find(resources, 'Deployment', nameOf(name)).spec.template;
      return {
        serviceAccountAnnotations: annotationsOf('ServiceAccount'),
        serviceAnnotations: annotationsOf('Service'),
        podAnnotations: metadata.annotations,
        podLabels: metadata.labels.team && { team: metadata.labels.team },
        nodeSelector: spec.nodeSelector,
        tolerations: spec.tolerations,
        affinity: spec.affinity,
        envFrom: spec.containers[0].envFrom,
      };
    };
    expect(shown(app)).toEqual(own);
    for (const other of APPS.filter((name) => name !== app))
      expect(shown(other)).toEqual({ nodeSelector: { pool: 'b' } });
  });

  it.each(APPS)('of %s keep annotations of all services beside their own', (app) => {
    const flags = ['--set-string', 'podAnnotations.all=1', '--set-string', `${app}.podAnnotations.own=2`];
    const { metadata } = find(resourcesOf(render(...REQUIRED, ...flags)), 'Deployment', nameOf(app)).spec
      .template;
    expect(metadata.annotations).toEqual({ all: '1', own: '2' });
  });

  it('are spread as their service says, and select themselves unless it says otherwise', () => {
    const common = { maxSkew: 2, topologyKey: 'rack', whenUnsatisfiable: 'DoNotSchedule' };
    const spread = [common, { ...common, labelSelector: { matchLabels: { a: 'b' } } }];
    const manifests = render(
      ...REQUIRED,
      '--set-json',
      `ip-locate.topologySpreadConstraints=${JSON.stringify(spread)}`,
    );
    expect(conformance(VERSIONS[0]!, manifests)).toMatchObject({ status: 0 });
    const { spec } = find(resourcesOf(manifests), 'Deployment', nameOf('ip-locate'));
    expect(spec.template.spec.topologySpreadConstraints).toEqual([
      { ...common, labelSelector: { matchLabels: spec.selector.matchLabels } },
      spread[1],
    ]);
  });

  it.each(APPS)('of %s have probes whose times can be set one by one', (app) => {
    const probesOf = (...flags: string[]) => {
      const manifests = render(...REQUIRED, ...flags);
      expect(conformance(VERSIONS[0]!, manifests)).toMatchObject({ status: 0 });
      const [container] = find(resourcesOf(manifests), 'Deployment', nameOf(app)).spec.template.spec
        .containers;
      return [container.startupProbe, container.livenessProbe, container.readinessProbe];
    };
    const [startup, liveness, readiness] = probesOf();
    const set = [
      'startupProbe.failureThreshold=90',
      'livenessProbe.timeoutSeconds=9',
      'readinessProbe.periodSeconds=5',
    ];
    expect(probesOf(...set.flatMap((value) => ['--set', `${app}.${value}`]))).toEqual([
      { ...startup, failureThreshold: 90 },
      { ...liveness, timeoutSeconds: 9 },
      { ...readiness, periodSeconds: 5 },
    ]);
  });

  it.each([
    ['nothing published', [], /Nothing is published[\s\S]*service\/three-services-release-web 8080:80/],
    [
      'an ingress',
      example('ingress.yaml'),
      /ingress controller[\s\S]*https:\/\/ops-intake\.example\.com\/health/,
    ],
  ])('are found as the notes say, with %s', (_title, flags, notes) => {
    const { status, output } = helm(
      'install',
      '--dry-run=client',
      'three-services',
      CHART,
      ...REQUIRED,
      ...flags,
    );
    expect([status, output]).toEqual([0, expect.stringMatching(notes)]);
  });

  it.each(APPS)('of %s are added where the measurement says', (app) => {
    const resources = resourcesOf(renderExamples([]));
    const request = String(
      podOf(find(resources, 'Deployment', nameOf(app))).containers[0].resources.requests.cpu,
    );
    const milli = request.endsWith('m') ? Number(request.slice(0, -1)) : 1_000 * Number(request);
    const [{ resource }] = find(resources, 'HorizontalPodAutoscaler', nameOf(app)).spec.metrics;
    const target = resource.target.averageUtilization as number;
    // One process uses one core at most; a request above that, or a target at it, would never add a pod.
    expect(milli).toBeLessThanOrEqual(1_000);
    expect(target).toBeLessThan(90);
    const page = read('docker/docs/processes.md');
    const measured = new RegExp(`^\\| ${app} +\\| +1 \\|[^|]*\\|[^|]*\\| +(\\d+) \\|`, 'm').exec(page);
    const microseconds = Number(measured?.[1]);
    const documented = new RegExp(`^\\| ${app} +\\| +(\\d+) m \\| +(\\d+) % \\| +([\\d,]+) \\|`, 'm').exec(
      page,
    );
    expect(documented?.slice(1, 3)).toEqual([String(milli), String(target)]);
    const requests = ((milli / 1_000) * (target / 100) * 1_000_000) / microseconds;
    expect(Number(documented?.[3]?.replace(',', ''))).toBe(Math.round(requests / 100) * 100);
  });
});

describe('host names of a service', () => {
  const own = ['--set-json', 'ip-locate.hostnames=["ip.example.net","geo.example.net"]'];
  const everything = example('gateway.yaml', 'ingress.yaml', 'monitoring.yaml');
  const prober = ['--set', 'monitoring.prober=blackbox.monitoring:9115'];
  const manifests = render(...REQUIRED, ...everything, ...prober, ...own);
  const resources = resourcesOf(manifests);

  it('are those of its route, of the redirect, the ingress and the certificate', () => {
    expect(conformance(VERSIONS[0]!, manifests)).toMatchObject({ status: 0 });
    const names = ['ip.example.net', 'geo.example.net'];
    const others = ['release-web.example.com', 'ops-intake.example.com'];
    expect(find(resources, 'HTTPRoute', nameOf('ip-locate')).spec.hostnames).toEqual(names);
    expect(find(resources, 'HTTPRoute', nameOf('ops-intake')).spec.hostnames).toEqual([others[1]]);
    expect(find(resources, 'HTTPRoute', nameOf('redirect')).spec.hostnames).toEqual([...others, ...names]);
    const { rules, tls } = find(resources, 'Ingress', 'three-services').spec;
    expect(tls[0].hosts).toEqual([...others, ...names]);
    expect(
      rules.map(({ host, http }: { host: string; http: { paths: [{ backend: { service: object } }] } }) => [
        host,
        http.paths[0].backend.service,
      ]),
    ).toEqual([
      ...['release-web', 'ops-intake'].map((app, index) => [
        others[index],
        { name: nameOf(app), port: { name: 'http' } },
      ]),
      ...names.map((host) => [host, { name: nameOf('ip-locate'), port: { name: 'http' } }]),
    ]);
  });

  it('reach the Gateway, whose wildcard they need not match', () => {
    const hostnames = (some: Resource[]) =>
      find(some, 'Gateway', 'three-services').spec.listeners.map(
        ({ hostname }: { hostname?: string }) => hostname,
      );
    expect(hostnames(resources)).toEqual([undefined, undefined]);
    expect(hostnames(resourcesOf(renderExamples(['gateway.yaml'])))).toEqual([
      '*.example.com',
      '*.example.com',
    ]);
  });

  it('are the public address, by the first of them, and need no domain', () => {
    const { targets } = find(resources, 'Probe', 'three-services').spec;
    expect(targets.staticConfig.static).toContain('https://ip.example.net/health');
    const alone = ['--set', 'image.registry=x', '--set-json', 'release-web.hostnames=["php.example.net"]'];
    const { containers } = podOf(find(resourcesOf(render(...alone)), 'Deployment', nameOf('release-web')));
    expect(containers[0].env).toContainEqual({ name: 'PUBLIC_BASE_URL', value: 'https://php.example.net' });
  });
});

describe('the ingress', () => {
  const ingress = (...flags: string[]) =>
    find(
      resourcesOf(render(...REQUIRED, '--set', 'ingress.enabled=true', ...flags)),
      'Ingress',
      'three-services',
    );

  it('is of the class that you name, or of the cluster’s default, and has no controller’s annotations', () => {
    expect(ingress().spec).not.toHaveProperty('ingressClassName');
    expect(ingress('--set', 'ingress.className=traefik').spec.ingressClassName).toBe('traefik');
    expect(ingress().metadata).not.toHaveProperty('annotations');
  });
});

describe('the network', () => {
  const policy = (app: App) => find(resourcesOf(renderExamples([])), 'NetworkPolicy', nameOf(app)).spec;

  it('of ops-intake reaches name servers, Kafka and the store, with and without TLS, and nothing else', () => {
    const rules = (
      policy('ops-intake').egress as { to: object[]; ports: { port: number; protocol: string }[] }[]
    ).map(({ to, ports }) => [JSON.stringify(to), ports.map(({ port, protocol }) => `${port}/${protocol}`)]);
    expect(rules).toEqual([
      [expect.stringMatching(/kube-system.*169\.254\.20\.10\/32/), ['53/TCP', '53/UDP']],
      [expect.stringContaining('kafka'), ['9092/TCP', '9093/TCP']],
      [expect.stringContaining('valkey'), ['6379/TCP', '6380/TCP']],
    ]);
  });

  it.each(['NodePort', 'LoadBalancer'])('publishes the service and never its metrics as %s', (type) => {
    const flags = ['--set', `ip-locate.serviceType=${type}`, ...example('monitoring.yaml')];
    const manifests = render(...REQUIRED, ...flags);
    expect(conformance(VERSIONS[0]!, manifests)).toMatchObject({ status: 0 });
    const resources = resourcesOf(manifests);
    const shown = (name: string) => {
      const { spec, metadata } = find(resources, 'Service', nameOf(name));
      const { matchLabels } = find(resources, 'ServiceMonitor', nameOf('ip-locate')).spec.selector;
      expect(metadata.labels).toMatchObject(matchLabels);
      return [spec.type, spec.ports.map((port: { name: string }) => port.name)];
    };
    expect([shown('ip-locate'), shown('ip-locate-management')]).toEqual([
      [type, ['http']],
      [undefined, ['management']],
    ]);
    expect(find(resources, 'Service', nameOf('ops-intake')).spec.type).toBe('ClusterIP');
  });

  it('lets in clients of a network, with namespaces or alone', () => {
    const from = (clients: string) => {
      const flags = ['--set-json', 'networkPolicy.clientCidrs=["203.0.113.0/24"]'];
      const manifests = render(...REQUIRED, ...flags, '--set-json', `networkPolicy.clients=${clients}`);
      expect(conformance(VERSIONS[0]!, manifests)).toMatchObject({ status: 0 });
      return find(resourcesOf(manifests), 'NetworkPolicy', nameOf('ip-locate')).spec.ingress[0];
    };
    const network = { ipBlock: { cidr: '203.0.113.0/24' } };
    expect(from('[]')).toEqual({ from: [network], ports: [{ port: 'http', protocol: 'TCP' }] });
    expect(from('["gateway"]').from).toEqual([{ namespaceSelector: expect.anything() }, network]);
  });

  it('of the other two reaches nothing', () => {
    expect([policy('release-web').egress, policy('ip-locate').egress]).toEqual([[], []]);
    expect(policy('ip-locate').policyTypes).toEqual(['Ingress', 'Egress']);
  });
});

describe.each([
  ['ip-locate', 'DATABASE_PATH', '/city.mmdb'],
  ['release-web', 'DATA_DIR', ''],
])('the data of %s', (app, variable, path) => {
  const resources = resourcesOf(renderExamples(['data-updates.yaml']));
  const job = podOf(find(resources, 'CronJob', nameOf(`${app}-data`)));

  it('is written by a job and read by the service, in one volume', () => {
    const service = podOf(find(resources, 'Deployment', nameOf(app)));
    const claim = find(resources, 'PersistentVolumeClaim', nameOf(`${app}-data`));
    expect(claim.spec.accessModes).toEqual(['ReadWriteMany']);
    for (const pod of [job, service]) {
      expect(pod.volumes?.[0]?.persistentVolumeClaim?.claimName).toBe(claim.metadata.name);
    }
    const [written] = job.containers[0].volumeMounts ?? [];
    const [mounted] = service.containers[0].volumeMounts ?? [];
    expect([written?.readOnly, mounted?.readOnly]).toEqual([undefined, true]);
    expect(job.containers[0].command).toContain(written?.mountPath);
    expect(service.containers[0].env).toContainEqual({
      name: variable,
      value: `${mounted?.mountPath}${path}`,
    });
  });

  it('is never deleted with the release, and the job’s pods are not the service’s', () => {
    expect(find(resources, 'PersistentVolumeClaim', nameOf(`${app}-data`)).metadata).toMatchObject({
      annotations: { 'helm.sh/resource-policy': 'keep' },
    });
    const { labels } = find(resources, 'CronJob', nameOf(`${app}-data`)).spec.jobTemplate.spec.template
      .metadata;
    expect(labels['app.kubernetes.io/component']).toBe('data');
  });
});

it('release-web keeps its last valid data beside the volume, which it cannot write', () => {
  const deployment = find(
    resourcesOf(renderExamples(['data-updates.yaml'])),
    'Deployment',
    nameOf('release-web'),
  );
  const { containers, volumes } = podOf(deployment);
  expect(containers[0].env).toContainEqual({ name: 'DATA_CACHE_DIR', value: '/cache' });
  expect(containers[0].volumeMounts).toContainEqual({ name: 'cache', mountPath: '/cache' });
  expect(volumes).toContainEqual({ name: 'cache', emptyDir: { sizeLimit: '100Mi' } });
});

it('an empty volume of release-web begins with the data of the image, and keeps its own from then on', () => {
  const resources = resourcesOf(renderExamples(['data-updates.yaml']));
  const [seed] = podOf(find(resources, 'CronJob', nameOf('release-web-data'))).initContainers ?? [];
  const folder = mkdtempSync(join(tmpdir(), 'volume-'));
  const [program, ...args] = (seed?.command ?? []).map((word) => word.replaceAll('/data', folder));
  const run = () => execFileSync(String(program), args, { cwd: '../../apps/release-web' });
  try {
    run();
    expect(readdirSync(folder)).toEqual(expect.arrayContaining(['branches', 'product.json']));
    writeFileSync(join(folder, 'news.json'), 'newer');
    run();
    expect(readFileSync(join(folder, 'news.json'), 'utf8')).toBe('newer');
  } finally {
    rmSync(folder, { recursive: true });
  }
});

interface Rule {
  alert?: string;
  record?: string;
  expr: string;
  annotations: { summary: string; runbook_url: string };
}

describe('the alerts', () => {
  const rules = (resources: Resource[]) =>
    (
      find(resources, 'PrometheusRule', 'three-services').spec.groups as {
        name: string;
        rules: Rule[];
      }[]
    ).flatMap((group) => group.rules.map((rule) => ({ group: group.name, ...rule })));
  const alerts = (resources: Resource[]) => rules(resources).filter(({ alert }) => alert !== undefined);

  it('are those of the enabled services, with their own words untouched', () => {
    const all = rules(resourcesOf(renderExamples(['monitoring.yaml'])));
    const one = rules(resourcesOf(renderExamples(['monitoring.yaml', 'ip-locate-only.yaml'])));
    expect(one).toEqual(all.filter(({ group }) => group === 'ip-locate'));
    expect(one.map(({ alert }) => alert)).toContain('LocationDataOld');
    expect(one.find(({ alert }) => alert === 'ServiceDown')).toMatchObject({
      expr: 'max by (job) (up{job="ip-locate"}) == 0 or absent(up{job="ip-locate"})',
      annotations: { summary: '{{ $labels.job }} does not answer' },
    });
  });

  it.each([
    [2, []],
    [4, ['--set', 'ops-intake.autoscaling.minReplicas=4']],
    [3, ['--set', 'ops-intake.autoscaling.enabled=false', '--set', 'ops-intake.replicas=3']],
  ])('know that %d replicas of ops-intake are wanted with %j', (wanted, flags) => {
    const all = rules(resourcesOf(render(...REQUIRED, ...example('monitoring.yaml'), ...flags)));
    const recorded = all.filter(
      ({ group, record }) => group === 'ops-intake' && record === 'job:replicas_wanted',
    );
    expect(recorded.map(({ expr }) => expr)).toEqual([`vector(${wanted})`]);
  });

  it('link to runbooks where you keep them', () => {
    const moved = alerts(
      resourcesOf(
        render(...REQUIRED, ...example('monitoring.yaml'), '--set', 'monitoring.runbooks=https://wiki/x'),
      ),
    );
    for (const { annotations } of moved)
      expect(annotations.runbook_url).toMatch(/^https:\/\/wiki\/x\/[\w-]+\.md$/);
  });

  it.each([
    ['apps/ip-locate/src/domain/build-date.ts', /STALE_AFTER_DAYS = (\d+);/],
    ['apps/release-web/src/config.ts', /DATA_STALE_DAYS: [^}]*\bdefault: (\d+)/],
  ])('call data old when the service does: %s', (file, pattern) => {
    const days = pattern.exec(read(file))?.[1];
    expect(days).toBeDefined();
    expect(read('docker/helm/three-services/files/alerts.yaml')).toContain(`> ${days} * 86400\n`);
  });

  const prober = ['--set', 'monitoring.prober=blackbox.monitoring:9115'];
  const manifests = render(...REQUIRED, ...example('monitoring.yaml'), ...prober);
  const probed = resourcesOf(manifests);

  it('watch the public address of each service when there is a prober, and its certificate', () => {
    expect(find(probed, 'Probe', 'three-services').spec).toMatchObject({
      jobName: 'probe',
      prober: { url: 'blackbox.monitoring:9115' },
      targets: { staticConfig: { static: APPS.map((app) => `https://${app}.example.com/health`) } },
    });
    expect(conformance(VERSIONS[0]!, manifests)).toMatchObject({ status: 0 });
    const added = alerts(probed).filter(({ group }) => group === 'probe');
    expect(added.map(({ alert }) => alert)).toContain('CertificateExpires');
  });

  it('each name a runbook that exists, and every runbook of the list is named or needs no alert', () => {
    const named = new Set(
      alerts(probed).map(({ annotations }) => annotations.runbook_url.split('/blob/main/')[1] as string),
    );
    for (const runbook of named) expect(read(runbook)).toMatch(/^# /);
    const listed = [...read('docker/runbooks/README.md').matchAll(/^- \[.*\]\((\w[\w-]*\.md)\): /gm)].map(
      ([, runbook]) => `docker/runbooks/${runbook}`,
    );
    expect(listed.length).toBeGreaterThan(5);
    // A full disk shows as an unavailable broker; a backup, growing and shrinking are decisions.
    expect(listed.filter((runbook) => !named.has(runbook))).toEqual([
      'docker/runbooks/disk-full.md',
      'docker/runbooks/backup.md',
      'docker/runbooks/growing.md',
      'docker/runbooks/shrinking.md',
    ]);
  });

  it('come with a dashboard for each service', () => {
    const resources = resourcesOf(renderExamples(['monitoring.yaml']));
    for (const app of APPS) {
      const { metadata, data } = find(resources, 'ConfigMap', nameOf(`${app}-dashboard`));
      expect(metadata.labels['grafana_dashboard']).toBe('1');
      expect(data?.[`${app}.json`]).toBe(read(`docker/helm/three-services/files/dashboards/${app}.json`));
    }
  });
});

describe('the page about Kubernetes', () => {
  const page = read('docker/docs/kubernetes.md');

  it('creates the secrets that the chart reads', () => {
    const asked = resourcesOf(renderExamples(['kafka-login.yaml', 'rate-limits.yaml']))
      .filter(({ kind }) => kind === 'Deployment')
      .flatMap((deployment) => podOf(deployment).containers[0].env ?? [])
      .flatMap(({ valueFrom }) => (valueFrom ? [valueFrom.secretKeyRef] : []));
    expect(asked.map(({ name, key }) => `${name}/${key}`)).toEqual([
      'ops-intake/auth-tokens',
      'ops-intake/idempotency-store-url',
      'kafka-login/password',
      'kafka-login/username',
      'ip-locate/rate-limit-store-url',
    ]);
    for (const { name, key } of asked) {
      expect(page).toMatch(
        new RegExp(`kubectl create secret generic ${name} -n three-services[^\\n]* --from-literal=${key}=`),
      );
    }
  });

  it('installs the chart by a command that works, with examples that exist', () => {
    const command = /^ *helm upgrade --install three-services (.*)$/m.exec(
      page.replaceAll(/ \\\n */g, ' '),
    )?.[1];
    const [, ...words] = String(command).trim().split(/\s+/);
    const flags = words
      .filter((word) => word !== '--create-namespace')
      .map((word) => word.replace(/^three-services\/values\//, `${CHART}/values/`));
    expect(resourcesOf(render(...flags)).map(({ kind }) => kind)).toContain('Deployment');
    for (const name of EXAMPLES) expect(page).toContain(`\`values/${name}\``);
  });
});

describe('the package of the chart', () => {
  const folder = mkdtempSync(join(tmpdir(), 'chart-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  it('is the same from two clones in different folders, made at different times', () => {
    const packages = ['one', 'deeper/two'].map((name, index) => {
      const clone = join(folder, name);
      execFileSync('git', ['clone', '--quiet', workspaceRoot, clone]);
      symlinkSync(join(workspaceRoot, 'node_modules'), join(clone, 'node_modules'));
      const chart = join(clone, 'docker/helm/three-services');
      for (const file of readdirSync(chart, { recursive: true, encoding: 'utf8' })) {
        utimesSync(join(chart, file), 1_700_000_000 + index, 1_700_000_000 + index);
      }
      const path = execFileSync(join(clone, 'docker/release/package-chart'), [clone], { encoding: 'utf8' });
      return path.trim();
    });
    const [first, second] = packages.map((path) => readFileSync(path));
    expect(first?.equals(second as Buffer)).toBe(true);
    // Helm pushes the time of the package with it.
    const [one, two] = packages.map((path) => statSync(path).mtimeMs);
    expect(one).toBe(two);
    expect(helm('show', 'readme', packages[0] as string).output).toMatch(/^# three-services\n/);
  });

  it('has a README with every value of the schema, its default and what it is for', () => {
    const text = execFileSync('../release/chart-readme', [CHART], { encoding: 'utf8' });
    const rows = [...text.matchAll(/^\| `([\w.-]+)` \| (.+) \| (.*) \| (.+) \|$/gm)].map((cells) =>
      cells.slice(1),
    );
    interface Node {
      $ref?: string;
      properties?: Record<string, Node>;
    }
    const { definitions, properties } = JSON.parse(read('docker/helm/three-services/values.schema.json')) as {
      definitions: Record<string, Node>;
      properties: Record<string, Node>;
    };
    const probes = definitions['probe'];
    const leaves = (nodes: Record<string, Node>, path: string): string[] =>
      Object.entries(nodes).flatMap(([name, node]) => {
        const inner = node.$ref ? definitions[String(node.$ref.split('/')[2])] : node;
        return inner?.properties && inner !== probes
          ? leaves(inner.properties, `${path}${name}.`)
          : [path + name];
      });
    const { global, ...others } = properties;
    expect(global).toBeDefined();
    for (const app of APPS) delete others[app];
    const service = definitions['service']?.properties ?? {};
    expect(rows.map(([name]) => name)).toEqual([...leaves(others, ''), ...leaves(service, 'SERVICE.')]);

    const values = parse(read('docker/helm/three-services/values.yaml')) as Record<string, unknown>;
    const valueAt = (path: string) =>
      path
        .split('.')
        .reduce((value: unknown, name) => (value as Record<string, unknown> | undefined)?.[name], values);
    for (const [name = '', , shown = ''] of rows) {
      const [first, ...more] = APPS.map((app) => valueAt(name.replace('SERVICE', app))).filter(
        (value) => value !== undefined && value !== '',
      );
      const same = more.every((value) => JSON.stringify(value) === JSON.stringify(first));
      const expected = first === undefined ? '' : same ? `\`${JSON.stringify(first)}\`` : 'see values.yaml';
      expect([name, shown.replaceAll('\\|', '|')]).toEqual([name, expected]);
    }
  });

  it('has an icon of its own, which asks no host', () => {
    const { icon } = parse(read('docker/helm/three-services/Chart.yaml')) as { icon: string };
    const [, data = ''] = /^data:image\/svg\+xml;base64,(.+)$/.exec(icon) ?? [];
    const image = Buffer.from(data, 'base64').toString();
    expect(image).toMatch(/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" .*<\/svg>$/);
    expect(image.match(/https?:|href|script/g)).toEqual(['http:']);
  });
});
