import type { Socket } from 'node:net';
import { yieldToEventLoop } from './event-loop.ts';

/** How many small chunks are taken in one turn of the event loop before others have theirs; they take about a millisecond. */
const CHUNKS_PER_TURN = 1_024;
/** How many connections are accepted in a row before any is read again: Node's default backlog of a port, rounded up. */
const ACCEPTED_AT_ONCE = 512;
/** What Node reads at once. */
const READ_BYTES = 65_536;

/** A body that may come in small chunks. */
export interface ChunkedBody {
  readonly socket: Socket;
  readonly destroyed: boolean;
  readonly complete: boolean;
  readonly isHeld?: boolean;
  /** Takes the bytes of chunks that were merged. */
  append(bytes: Buffer): void;
  /** Reads nothing more until it is released. */
  hold(): void;
  release(): void;
}

/**
 * Keeps bodies in small chunks from taking all the time and memory. Node makes an object of each chunk, eleven thousand of
 * what it reads at once when each chunk has one byte, and goes on reading while there is more, for all connections in one
 * turn of the event loop. Here:
 *
 * - The small chunks of one read become one chunk.
 * - When a turn has had enough of them, nothing more is read in it. The next turn is for all other connections, the newest
 *   first; bodies that sent so many chunks are then read one in a turn.
 * - Meanwhile, new connections are accepted before any is read. Node accepts one in a turn: if each of those that wait at the
 *   port brought small chunks, the last one would wait for as many long turns.
 */
export class SmallChunks {
  readonly #open: ReadonlyMap<Socket, unknown>;
  readonly #merged = Buffer.allocUnsafeSlow(READ_BYTES);
  #length = 0;
  /** whose chunks are being merged */
  #body: ChunkedBody | undefined;
  #chunks = 0;
  #endsTurn = false;
  /** bodies that have sent many small chunks, by their connections */
  readonly #slow = new WeakMap<Socket, ChunkedBody>();
  /** those that wait for their turn */
  readonly #waiting: ChunkedBody[] = [];
  /** other connections from which nothing is read in this turn */
  #paused: Socket[] = [];
  /** how many connections were accepted since others were read, and how many of them before this turn */
  #accepted = 0;
  #acceptedBefore = 0;
  /** connections that are about to be closed */
  readonly #left = new WeakSet<Socket>();

  /** @param open the connections of the server */
  constructor(open: ReadonlyMap<Socket, unknown>) {
    this.#open = open;
  }

  /** @param chunk undefined when it is not read any more */
  add(body: ChunkedBody, chunk: Buffer | undefined): void {
    this.#endTurnLater();
    if (chunk) {
      if (this.#body !== body || this.#length + chunk.length > READ_BYTES) this.flush();
      this.#body = body;
      chunk.copy(this.#merged, this.#length);
      this.#length += chunk.length;
    }
    this.#chunks += 1;
    if (this.#chunks > CHUNKS_PER_TURN && !body.isHeld) this.#hold(body);
  }

  /** Hands on what has been merged. */
  flush(): void {
    const body = this.#body;
    if (!body) return;
    this.#body = undefined;
    const bytes = Buffer.from(this.#merged.subarray(0, this.#length));
    this.#length = 0;
    if (!body.destroyed) body.append(bytes);
  }

  /** Reads on in a turn of the event loop that no other long work has. */
  holdForTurn(body: ChunkedBody): void {
    body.hold();
    void yieldToEventLoop().then(() => {
      if (!this.#left.has(body.socket)) body.release();
    });
  }

  /** Takes a new connection. While bodies in small chunks wait, it is read only after all that wait at the port are accepted. */
  accept(socket: Socket): void {
    if (this.#waiting.length === 0) return;
    this.#accepted += 1;
    this.#endTurnLater();
    // Not before Node has begun to read it, which it does in a tick of its own.
    process.nextTick(() => this.#paused.push(socket.pause()));
  }

  /** Reads nothing from a connection any more: the caller has paused it for good. */
  leave(socket: Socket): void {
    this.#left.add(socket);
  }

  #hold(body: ChunkedBody): void {
    this.#slow.set(body.socket, body);
    this.#wait(body);
    for (const socket of this.#open.keys()) {
      const slow = this.#slow.get(socket);
      if (slow && !slow.complete) this.#wait(slow);
      else if (!socket.isPaused()) this.#paused.push(socket.pause());
    }
  }

  #wait(body: ChunkedBody): void {
    if (body.isHeld || body.destroyed) return;
    body.hold();
    body.socket.pause();
    this.#waiting.push(body);
  }

  #endTurnLater(): void {
    if (this.#endsTurn) return;
    this.#endsTurn = true;
    setImmediate(() => this.#endTurn());
  }

  #endTurn(): void {
    this.#endsTurn = false;
    this.#chunks = 0;
    this.flush();
    if (this.#accepted > this.#acceptedBefore && this.#accepted < ACCEPTED_AT_ONCE) {
      this.#acceptedBefore = this.#accepted;
      this.#endTurnLater();
      return;
    }
    this.#accepted = this.#acceptedBefore = 0;
    const paused = this.#paused.reverse();
    this.#paused = [];
    for (const socket of paused) {
      if (!this.#left.has(socket) && !this.#slow.get(socket)?.isHeld) socket.resume();
    }
    // The others first: the kernel might report the slow one before them, turn by turn.
    if (paused.length === 0) this.#release();
    if (this.#waiting.length > 0) this.#endTurnLater();
  }

  #release(): void {
    const body = this.#waiting.shift();
    if (body && !this.#left.has(body.socket)) body.release();
  }
}

/** Frees the memory of a chunk that Node has read: many of them would stay garbage for a long time. It must not be used any more. */
export const detach = (chunk: Uint8Array): void => {
  const { buffer } = chunk;
  if (buffer instanceof ArrayBuffer && buffer.byteLength === chunk.length) buffer.transfer(0);
};
