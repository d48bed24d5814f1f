#!/usr/bin/env node
import manifest from '../package.json' with { type: 'json' };
import { bundledData } from './adapters/mmdb/bundled-data.ts';
import { runLookupCommand } from './cli/lookup-command.ts';
import { lookupOptions } from './features-lookup.ts';
import { endOnInterrupt, processTerminal } from './cli/terminal.ts';

const { stdin, stdout } = process;
endOnInterrupt(process);
process.exitCode = await runLookupCommand(process.argv.slice(2), {
  terminal: processTerminal(process),
  stdin,
  stdout,
  now: new Date(),
  version: manifest.version,
  options: lookupOptions,
  bundled: bundledData(import.meta.url),
});
