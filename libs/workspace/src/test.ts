// `npm test`: every unit and contract test, then the end-to-end tests that need a real Kafka, when there can be one.
import { spawnSync } from 'node:child_process';
import { kafkaAvailable } from '@workspace/kafka-broker';
import { workspaceRoot } from './workspace-root.ts';

const nx = (...args: string[]): boolean =>
  spawnSync('nx', args, { cwd: workspaceRoot, stdio: 'inherit' }).status === 0;

const kafkaSuites = ['kafka-broker', 'ops-intake'];

let green = nx('run-many', '-t', 'test', '--outputStyle=static');
const kafka = kafkaAvailable();
if (kafka.ok) {
  green =
    nx('run-many', '-t', 'e2e', '-p', kafkaSuites.join(','), '--parallel=1', '--outputStyle=static') && green;
} else {
  process.stdout.write(`SKIPPED the end-to-end tests of ${kafkaSuites.join(' and ')}: ${kafka.missing}\n`);
  // On CI a suite that does not run is a failure, not a footnote.
  if (process.env['CI']) green = false;
}
process.exit(green ? 0 : 1);
