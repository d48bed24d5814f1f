import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';

export interface Chronyd {
  stop(): Promise<void>;
}

export interface ChronydOptions {
  /** where it serves NTP, as a server of stratum 1; it serves none when left out */
  ntpPort?: number | undefined;
  /** where it answers commands */
  commandPort?: number | undefined;
  /** where the server is that it follows */
  follows?: number | undefined;
  /** seconds by which its clock is ahead */
  ahead?: number | undefined;
}

/** Starts a chronyd that leaves the clock of this machine alone. */
export const startChronyd = async (options: ChronydOptions): Promise<Chronyd> => {
  const { ntpPort = 0, commandPort = 0, follows, ahead } = options;
  const folder = mkdtempSync(join(tmpdir(), 'chronyd-'));
  const file = join(folder, 'chrony.conf');
  const lines = [
    ...(ntpPort ? ['local stratum 1', 'allow 127.0.0.1', 'bindaddress 127.0.0.1'] : []),
    ...(follows ? [`server 127.0.0.1 port ${follows} iburst minpoll -2 maxpoll -2`] : []),
    `port ${ntpPort}`,
    `cmdport ${commandPort}`,
    'bindcmdaddress 127.0.0.1',
    'bindcmdaddress /',
    `pidfile ${join(folder, 'pid')}`,
  ];
  writeFileSync(file, `${lines.join('\n')}\n`);
  const command = ['chronyd', '-x', '-d', '-U', '-u', userInfo().username, '-f', file];
  if (ahead !== undefined) command.unshift('faketime', '-f', `+${ahead}s`);
  // A group of its own: faketime starts chronyd, and does not end it.
  const child = spawn(command[0]!, command.slice(1), { stdio: 'ignore', detached: true });
  await once(child, 'spawn');
  return {
    stop: async () => {
      const ended = once(child, 'exit');
      if (child.exitCode === null) {
        process.kill(-child.pid!, 'SIGTERM');
        await ended;
      }
      rmSync(folder, { recursive: true });
    },
  };
};
