#!/usr/bin/env node
import manifest from '../package.json' with { type: 'json' };
import { runDataCommand } from './cli/data-command.ts';
import { dataOptions } from './features-cli.ts';
import { endOnInterrupt, processTerminal } from './cli/terminal.ts';

endOnInterrupt(process);
process.exitCode = await runDataCommand(process.argv.slice(2), {
  terminal: processTerminal(process),
  env: process.env,
  now: new Date(),
  version: manifest.version,
  options: dataOptions,
});
