import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import type { Machine } from './machine.ts';
import type { Network, Pipe } from './network.ts';

/** The server's end of a connection. */
export interface ServerEnd {
  readonly client: Machine;
  /** what the client sent, in order */
  onData: (bytes: Buffer) => void;
  /** the client closed the connection; `reset`: what the server has not read is lost */
  onEnd: (isReset: boolean) => void;
  send(bytes: Buffer): void;
  /** Ends the connection. */
  close(): void;
}

/** A TCP socket of a simulated process, as far as `BrokerConnection` uses one. */
export class SimulatedSocket extends EventEmitter {
  readonly #client: Machine;
  readonly #network: Network;
  readonly #up: Pipe;
  readonly #down: Pipe;
  #end: ServerEnd | undefined;
  destroyed = false;

  constructor(client: Machine, server: Machine, network: Network, accept: (end: ServerEnd) => void) {
    super();
    this.#client = client;
    this.#network = network;
    this.#up = network.pipe(client, server);
    this.#down = network.pipe(server, client);
    client.onKilled.add(this.#onKilled);
    const end: ServerEnd = {
      client,
      onData: () => undefined,
      onEnd: () => undefined,
      send: (bytes) => this.#down.send(() => this.#emit('data', bytes)),
      close: () => this.#down.send(() => this.#closed(new Error('ECONNRESET'))),
    };
    // A kernel accepts connections for a process that hangs, not for one that is gone.
    client.clock.schedule(network.latency(), () => {
      if (network.isCut(client, server)) return;
      if (server.state === 'dead') {
        client.deliver(this.#down, () => this.#closed(new Error('ECONNREFUSED')));
        return;
      }
      this.#end = end;
      server.deliver(this.#up, () => accept(end));
      client.deliver(this.#down, () => this.#emit('connect'));
    });
  }

  write(bytes: Buffer): boolean {
    const end = this.#end;
    if (!this.destroyed && end) this.#up.send(() => end.onData(bytes));
    return true;
  }

  /** What was written before is still sent. */
  destroy(error?: Error): this {
    if (this.destroyed) return this;
    const end = this.#end;
    if (end) this.#up.send(() => end.onEnd(false));
    this.#closed(error);
    return this;
  }

  resetAndDestroy(): this {
    if (this.destroyed) return this;
    const end = this.#end;
    this.#up.reset();
    if (end) this.#up.send(() => end.onEnd(true));
    this.#closed();
    return this;
  }

  setKeepAlive(): this {
    return this;
  }

  setNoDelay(): this {
    return this;
  }

  /** The kernel of a killed process sends what it has, and closes. */
  readonly #onKilled = (): void => {
    const end = this.#end;
    if (end && !this.destroyed) this.#up.send(() => end.onEnd(false));
    this.destroyed = true;
  };

  #emit(event: string, ...values: unknown[]): void {
    if (!this.destroyed) this.emit(event, ...values);
  }

  #closed(error?: Error): void {
    if (this.destroyed) return;
    this.destroyed = true;
    this.#client.onKilled.delete(this.#onKilled);
    this.#network.forget(this.#down);
    this.#network.forget(this.#up);
    this.#client.deliver(undefined, () => {
      if (error) this.emit('error', error);
      this.emit('close');
    });
  }

  asSocket(): Socket {
    return this as unknown as Socket;
  }
}
