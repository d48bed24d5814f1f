// Validates a ServiceMonitor or PrometheusRule, JSON on stdin: exit code 0, or 1 with what is wrong. A program of its own
// because the package can only be imported, and Jest requires.
import { json } from 'node:stream/consumers';
import { PrometheusRule } from '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1/PrometheusRule';
import { ServiceMonitor } from '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1/ServiceMonitor';

const KINDS = { PrometheusRule, ServiceMonitor };
try {
  const resource = await json(process.stdin);
  new KINDS[resource.kind](resource).validate();
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}
