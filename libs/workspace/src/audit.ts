// `nx audit workspace`: what the registry knows of vulnerabilities in the packages of package-lock.json. Exit code 1 when a package in
// a build has one that is high or critical; 2 when the registry did not answer the question, so that this does not pass for "none".
import { spawnSync } from 'node:child_process';
import { workspaceRoot } from '@workspace/testing';
import { auditResult } from './audit-result.ts';

const { stdout } = spawnSync('npm', ['audit', '--omit=dev', '--json'], {
  cwd: workspaceRoot,
  encoding: 'utf8',
  maxBuffer: 64 * 1024 * 1024,
});
const { text, code } = auditResult(stdout);
(code === 0 ? process.stdout : process.stderr).write(`${text}\n`);
process.exit(code);
