// Validates a ServiceMonitor, JSON on stdin: exit code 0, or 1 with what is wrong. A program of its own because the
// package can only be imported, and Jest requires.
import { json } from 'node:stream/consumers';
import { ServiceMonitor } from '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1/ServiceMonitor';

try {
  new ServiceMonitor(await json(process.stdin)).validate();
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}
