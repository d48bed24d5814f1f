export { storedSlots } from './import/published-site.ts';
export { runProcess } from './process.ts';
export { onlyPositional, required } from './arguments.ts';
export { type Command, CommandRejected, type Terminal, UsageError } from './terminal.ts';
