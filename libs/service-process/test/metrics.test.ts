import { createService } from '@workspace/service-kit';
import { captureLogger } from '@workspace/testing';
import { createMetrics } from '../src/index.ts';

it('counts by route pattern, never by raw URL', async () => {
  const metrics = createMetrics({ name: 'demo', version: '1.2.3' });
  const app = createService({ logger: captureLogger().logger, metrics });
  app.get('/n', () => ({}));
  await app.inject('/n?n=1');
  await app.inject({ method: 'HEAD', url: '/n?n=1' });
  await app.inject('/secret-path');
  const text = await metrics.registry.metrics();
  expect(text).toContain('http_request_duration_seconds_count{method="GET",route="/n",status="200"} 1');
  expect(text).toContain('http_request_duration_seconds_count{method="HEAD",route="/n",status="200"} 1');
  expect(text).toContain('route="unmatched",status="404"');
  expect(text).not.toContain('secret-path');
  expect(text).toContain('service_info{name="demo",version="1.2.3"} 1');
});
