#!/usr/bin/env node
import { join } from 'node:path';
import { runProcess } from './process.ts';

/** What the command belongs to: the folder of its own package, or the project of the service when run from src/. */
const home = import.meta.dirname.endsWith('src')
  ? join(import.meta.dirname, '../../../apps/release-web')
  : import.meta.dirname;

process.exitCode = await runProcess(process, home, new Date());
