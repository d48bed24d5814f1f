// `npm test`: all unit and contract tests, then a short end-to-end run of each built service, ops-intake on a real Kafka.
// Options are handed on to Nx.
import { spawnSync } from 'node:child_process';
import { kafkaAvailable } from '@workspace/kafka-broker';
import { workspaceRoot } from '@workspace/testing';

// tsx hands its own tsconfig on, as a path from here, and tasks that run tsx in the folder of a project would not find it.
delete process.env['TSX_TSCONFIG_PATH'];
const nx = (...args: string[]): boolean =>
  spawnSync('nx', [...args, ...process.argv.slice(2), '--outputStyle=static'], {
    cwd: workspaceRoot,
    stdio: 'inherit',
  }).status === 0;

// The one that takes longest first.
let passed = nx('run-many', '-t', 'test', '--projects=ops-intake,*');
const kafka = kafkaAvailable();
if (!kafka.ok) {
  process.stdout.write(`SKIPPED the end-to-end tests of ops-intake: ${kafka.missing}\n`);
  // In CI a skipped suite is a failure.
  if (process.env['CI']) passed = false;
}
passed = nx('run-many', '-t', 'smoke', ...(kafka.ok ? [] : ['--exclude=ops-intake'])) && passed;
process.exit(passed ? 0 : 1);
