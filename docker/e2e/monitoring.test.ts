import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeWith, eventually, freePort } from '@workspace/testing';
import { createCertificate } from './support/certificate.ts';
import { type Running, start } from './support/process.ts';
import { type Watch, watch } from './support/prometheus.ts';
import { blocksOf } from './support/runbooks.ts';
import { mountSmallDisk } from './support/small-disk.ts';
import { Stack } from './support/stack.ts';

const PAGE = blocksOf('proxy-down.md');
const MEGABYTE = 1_000_000;
const firing = (name: string, labels = '') => `ALERTS{alertname="${name}",alertstate="firing"${labels}}`;

describeWith(['prometheus', 'prometheus-node-exporter'], 'what Prometheus sees of the stack', () => {
  const folder = mkdtempSync(join(tmpdir(), 'monitoring-'));
  const certificates = join(folder, 'certificates');
  const data = join(folder, 'data');
  let stack: Stack;
  let exporter: Running;
  let prometheus: Watch;

  beforeAll(async () => {
    mkdirSync(certificates);
    mkdirSync(data);
    stack = await Stack.create({
      COMPOSE_PROFILES: 'probe',
      HTTPS_PORT: String(await freePort()),
      TLS_CERTIFICATES: certificates,
    });
    await stack.up();
    await stack.writable();
    const port = await freePort();
    const listen = `--web.listen-address=127.0.0.1:${port}`;
    exporter = start({
      command: 'prometheus-node-exporter',
      args: [listen, '--collector.disable-defaults', '--collector.filesystem'],
    });
    prometheus = await watch(stack, { nodeExporter: port });
  });
  afterAll(async () => {
    await prometheus.end();
    await exporter.end();
    await stack.remove();
    rmSync(folder, { recursive: true, force: true });
  });

  it('is a fresh install without an alert, not even a pending one', async () => {
    await prometheus.until('up == 1', 7);
    await prometheus.until('probe_success == 1', 3);
    // The disks are those of this machine.
    await prometheus.until('absent_over_time(ALERTS{alertname!~"Disk.*"}[5s])', 1);
  });

  it('is a container that was stopped', async () => {
    await stack.compose('kill', 'release-web');
    await prometheus.until(firing('ReplicasMissing', ',job="release-web"'), 1);
    await stack.shell(blocksOf('replica-down.md').slice(1, 2));
    await prometheus.until(firing('ReplicasMissing'), 0);
  });

  it('is a proxy that was stopped, and the page of the alert brings it back', async () => {
    await stack.compose('stop', 'proxy');
    await prometheus.until(firing('ServiceUnreachable'), 3);
    expect((await prometheus.firing())['ServiceUnreachable']).toBe('proxy-down.md');
    expect(await stack.shell(PAGE.slice(0, 2))).toMatch(/proxy\S*\s+Exited/);
    await prometheus.until(firing('ServiceUnreachable'), 0);
  });

  it('is a certificate that expires, until it is renewed as the page says', async () => {
    createCertificate(certificates, 0o600, 2);
    stack.set({ COMPOSE_FILE: 'compose.yaml:compose.tls.yaml' });
    await stack.up();
    await prometheus.until(firing('CertificateExpires'), 3);
    expect((await prometheus.firing())['CertificateExpires']).toBe('proxy-down.md');
    createCertificate(certificates, 0o600, 100);
    expect(await stack.shell(PAGE.slice(2))).toContain('notAfter');
    await prometheus.until('ALERTS{alertname=~"Certificate.*"}', 0);

    createCertificate(certificates, 0o600, 0);
    await stack.shell(PAGE.slice(2));
    await prometheus.until(firing('CertificateExpires'), 3);
    const unhealthy = async () => {
      const [container] = await stack.containers('proxy');
      return (container?.State.Health?.FailingStreak ?? 0) > 0;
    };
    await eventually('unhealthy proxy', unhealthy);
    createCertificate(certificates, 0o600, 100);
    await stack.shell(PAGE.slice(2));
    await eventually('healthy proxy', async () => !(await unhealthy()));
  });

  it('is a disk that is full', async () => {
    const disk = mountSmallDisk(data, 20 * MEGABYTE);
    try {
      const full = firing('DiskAlmostFull', `,mountpoint="${data}"`);
      await prometheus.until(`node_filesystem_avail_bytes{mountpoint="${data}"}`, 1);
      await prometheus.until(full, 0);
      disk.fill();
      await prometheus.until(full, 1);
      expect((await prometheus.firing())['DiskAlmostFull']).toBe('disk-full.md');
      disk.relieve();
      await prometheus.until(full, 0);
    } finally {
      disk.remove();
    }
  });
});
