import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/** What goes one way through a connection: bytes, its end, or a reset. */
type Sent = Buffer | 'end' | 'reset';
type Direction = 'there' | 'back';

/** A network between an instance and one server, which can be cut. */
export interface Relay {
  readonly port: number;
  /** the port of the server, to be set before the first connection */
  target: number;
  /**
   * Loses every packet, of one direction or of both. As with packets, what a sender has not given up by `heal` arrives then: the
   * bytes of connections that are open or were closed, but not of those that were reset.
   */
  cut(...directions: Direction[]): void;
  /** @param forgetting whether connections are reset, as by a firewall that has forgotten them */
  heal(forgetting?: boolean): void;
  close(): Promise<void>;
}

export const openRelay = async (port: number): Promise<Relay> => {
  const lost = new Set<Direction>();
  const connections = new Set<Connection>();
  const relay = { port, target: 0 };

  class Connection {
    readonly #near: Socket;
    #far: Socket | undefined;
    readonly #held: Record<Direction, Sent[]> = { there: [], back: [] };

    constructor(near: Socket) {
      this.#near = near;
      connections.add(this);
      this.#read(near, 'there');
      if (!lost.has('there')) this.#open();
    }

    /** Delivers what is held, in order. */
    flush(): void {
      if (!this.#far && !lost.has('there')) {
        const last = this.#held.there.at(-1);
        // Given up before the server received it.
        if (last === 'end' || last === 'reset') return this.reset();
        this.#open();
      }
      for (const direction of ['there', 'back'] as const) {
        if (lost.has(direction)) continue;
        for (const one of this.#held[direction].splice(0)) this.#deliver(direction, one);
      }
    }

    reset(): void {
      this.#near.resetAndDestroy();
      this.#far?.resetAndDestroy();
      connections.delete(this);
    }

    #open(): void {
      this.#far = connect({ port: relay.target, host: '127.0.0.1', allowHalfOpen: true, noDelay: true });
      this.#read(this.#far, 'back');
    }

    #read(socket: Socket, direction: Direction): void {
      const send = (one: Sent): void => {
        const held = this.#held[direction];
        if (!lost.has(direction)) return this.#deliver(direction, one);
        // The kernel of the sender forgets what it could not send.
        if (one === 'reset') held.splice(0);
        held.push(one);
      };
      socket
        .on('data', send)
        .on('end', () => send('end'))
        .on('error', () => send('reset'))
        .on('close', () => this.#forgetIfClosed());
    }

    #deliver(direction: Direction, one: Sent): void {
      const receiver = direction === 'there' ? this.#far : this.#near;
      if (!receiver || receiver.destroyed) return;
      if (one === 'reset') receiver.resetAndDestroy();
      else if (one === 'end') receiver.end();
      else receiver.write(one);
    }

    #forgetIfClosed(): void {
      const isHeld = this.#held.there.length + this.#held.back.length > 0;
      if (!isHeld && this.#near.destroyed && (!this.#far || this.#far.destroyed)) connections.delete(this);
    }
  }

  const server = createServer({ allowHalfOpen: true, noDelay: true }, (near) => void new Connection(near));
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return Object.assign(relay, {
    cut: (...directions: Direction[]) => directions.forEach((direction) => lost.add(direction)),
    heal: (forgetting = false) => {
      lost.clear();
      for (const connection of connections) {
        if (forgetting) connection.reset();
        else connection.flush();
      }
    },
    close: async () => {
      for (const connection of connections) connection.reset();
      server.close();
      await once(server, 'close');
    },
  });
};
