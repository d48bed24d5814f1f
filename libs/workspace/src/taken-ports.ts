import { once } from 'node:events';
import { createServer } from 'node:net';

/** A port of this machine, and the setting that moves it. */
export interface PortSetting {
  readonly name: string;
  readonly port: number;
  readonly setting: string;
  /** what else may be set */
  readonly otherwise?: string;
}

const isTaken = async (port: number, host: string): Promise<boolean> => {
  const server = createServer().listen(port, host);
  try {
    await once(server, 'listening');
    return false;
  } catch (error) {
    // No IPv6 here, for example: then nobody else has the port there either.
    return (error as NodeJS.ErrnoException).code === 'EADDRINUSE';
  } finally {
    server.close();
  }
};

/** Those on whose port something else listens already, over IPv4 or IPv6. */
export const takenPorts = async (settings: readonly PortSetting[]): Promise<readonly PortSetting[]> => {
  const taken = await Promise.all(
    settings.map(async ({ port }) => (await isTaken(port, '127.0.0.1')) || (await isTaken(port, '::1'))),
  );
  return settings.filter((_setting, index) => taken[index]);
};
