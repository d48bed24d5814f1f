import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { LIBFAKETIME } from '@workspace/testing';

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
  // The program faketime would leave a semaphore behind, and fail when it is given the same process id again.
  const clock = ahead === undefined ? {} : { LD_PRELOAD: LIBFAKETIME, FAKETIME: `+${ahead}s` };
  const child = spawn('chronyd', ['-x', '-d', '-U', '-u', userInfo().username, '-f', file], {
    stdio: 'ignore',
    env: { ...process.env, ...clock },
  });
  await once(child, 'spawn');
  return {
    stop: async () => {
      const ended = once(child, 'exit');
      if (child.exitCode === null) {
        child.kill();
        await ended;
      }
      rmSync(folder, { recursive: true });
    },
  };
};
