import { CHART, EXAMPLES, example, helm, REQUIRED } from '../e2e/helm.ts';
import { type ControlPlane, startControlPlane } from './control-plane.ts';

const NAMESPACE = 'three-services';
const ALL = EXAMPLES.filter((name) => !['existing-gateway.yaml', 'ip-locate-only.yaml'].includes(name));

describe('the chart on a real API server', () => {
  let cluster: ControlPlane;
  beforeAll(async () => {
    cluster = await startControlPlane('1.37.0');
    const created = await cluster.ask('/api/v1/namespaces', {
      apiVersion: 'v1',
      kind: 'Namespace',
      // As docker/docs/kubernetes.md labels it: pods with more rights than the chart asks for are rejected.
      metadata: { name: NAMESPACE, labels: { 'pod-security.kubernetes.io/enforce': 'restricted' } },
    });
    expect(created.status).toBe(201);
  });
  afterAll(() => cluster?.stop());

  const release = (...args: string[]) =>
    helm(...args, '--namespace', NAMESPACE, '--kubeconfig', cluster.kubeconfig);
  const upgrade = (...flags: string[]) =>
    release('upgrade', '--install', NAMESPACE, CHART, ...REQUIRED, ...flags);
  const deployment = async (app: string) =>
    (await cluster.ask(`/apis/apps/v1/namespaces/${NAMESPACE}/deployments/three-services-${app}`)).body;

  it.each([[[]], ...EXAMPLES.map((name) => [[name]]), [ALL]])('is installed or upgraded with %j', (names) => {
    expect(upgrade(...example(...names))).toMatchObject({
      status: 0,
      output: expect.stringContaining('deployed'),
    });
  });

  it('makes pods that the restricted level of Pod Security admits', async () => {
    const job = (
      await cluster.ask(`/apis/batch/v1/namespaces/${NAMESPACE}/cronjobs/three-services-ip-locate-data`)
    ).body;
    const templates = [
      ...(await Promise.all(['release-web', 'ops-intake', 'ip-locate'].map(deployment))).map(
        ({ spec }) => spec.template,
      ),
      job.spec.jobTemplate.spec.template,
    ];
    for (const { spec } of templates) {
      const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'tried' }, spec };
      const path = `/api/v1/namespaces/${NAMESPACE}/pods?dryRun=All`;
      expect(await cluster.ask(path, pod)).toMatchObject({ status: 201 });
      const [container] = spec.containers;
      const more = { ...pod, spec: { ...spec, containers: [{ ...container, securityContext: undefined }] } };
      expect(await cluster.ask(path, more)).toMatchObject({ status: 403 });
    }
  });

  it('is installed a second time in the same namespace', async () => {
    const examples = example(...ALL);
    const flags = [...REQUIRED, ...examples, '--set', 'domain=second.example.com'];
    expect(release('install', 'second', CHART, ...flags)).toMatchObject({ status: 0 });
    expect(release('uninstall', 'second')).toMatchObject({ status: 0 });
    expect((await deployment('ops-intake')).metadata.name).toBe('three-services-ops-intake');
  });

  it('is changed, rolled back and removed; the data stays', async () => {
    const rate = async () =>
      (await deployment('ops-intake')).spec.template.spec.containers[0].env.find(
        ({ name }: { name: string }) => name === 'RATE_LIMIT',
      )?.value;
    expect(
      release('upgrade', NAMESPACE, CHART, '--reuse-values', '--set', 'ops-intake.env.RATE_LIMIT=7/second')
        .status,
    ).toBe(0);
    expect(await rate()).toBe('7/second');
    expect(release('rollback', NAMESPACE).status).toBe(0);
    expect(await rate()).toBe('50/second');
    expect(release('uninstall', NAMESPACE).status).toBe(0);
    expect((await cluster.ask(`/apis/apps/v1/namespaces/${NAMESPACE}/deployments`)).body.items).toEqual([]);
    const claims = (await cluster.ask(`/api/v1/namespaces/${NAMESPACE}/persistentvolumeclaims`)).body.items;
    expect(claims.map(({ metadata }: { metadata: { name: string } }) => metadata.name)).toEqual([
      'second-ip-locate-data',
      'second-release-web-data',
      'three-services-ip-locate-data',
      'three-services-release-web-data',
    ]);
  });
});
