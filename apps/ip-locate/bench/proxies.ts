/**
 * How long visitors of a site wait for the location that a proxy asks for: the site alone, and behind each of the proxies of
 * examples/proxies, by requests that begin at a steady rate.
 *   npx nx run ip-locate:bench-proxies [--write]   --write puts the figures into examples/proxies/README.md
 *   BENCH_SECONDS  5 unless set
 *   BENCH_RATE     2000 unless set: requests a second
 */
import { missingTools } from '@workspace/testing';
import { milliseconds, Report, steadyRequests, timeOfPart } from '@workspace/testing/bench';
import { PROXIES, startProxy, trustedProxies } from '../e2e/geo-proxies.ts';
import { startSite } from '../e2e/geo-site.ts';
import { startService } from '../e2e/service.ts';

const seconds = Number(process.env['BENCH_SECONDS'] || 5);
const perSecond = Number(process.env['BENCH_RATE'] || 2_000);

const service = await startService({ TRUST_PROXY: trustedProxies() });
const site = await startSite();
const report = new Report(
  'apps/ip-locate/examples/proxies/README.md',
  'waiting',
  `${perSecond} requests a second for ${seconds} s; the requests, the proxy, ip-locate and the site on the same cores`,
);
report.head('a site', 'p50', 'p99', 'failed');
const measure = async (name: string, port: number): Promise<void> => {
  const load = { url: `http://127.0.0.1:${port}/`, headers: { 'x-forwarded-for': '8.8.8.8' }, perSecond };
  await steadyRequests({ ...load, seconds: 2 });
  const { sorted, failed } = await steadyRequests({ ...load, seconds });
  report.row(name, ...[0.5, 0.99].map((part) => milliseconds(timeOfPart(sorted, part))), failed);
};
await measure('alone', site.port);
for (const setup of PROXIES.filter(({ tool }) => missingTools(tool).length === 0)) {
  const proxy = await startProxy(setup, { http: service.port, site: site.port });
  await measure(`behind ${setup.name}`, proxy.decides);
  await proxy.stop();
}
await report.write();
site.close();
await service.stop();
