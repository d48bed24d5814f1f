import { IncomingMessage, type ServerResponse } from 'node:http';
import { detach, type SmallChunks, type ChunkedBody } from './small-chunks.ts';

/** Below this, the chunks of a body are merged: each is an object that takes far more memory and time than its bytes. */
const SMALL_BYTES = 1_024;

/** How much of a body is read before it waits for a turn of the event loop. Node would read up to 2 MiB at once, of each connection. */
const TURN_BYTES = 65_536;

/**
 * A request that bounds what its body costs, and stops the parser when its connection is closed. For the latter, Node goes
 * on to make objects of all requests that arrived with it, thousands of them; it stops only where a request leaves HTTP.
 *
 * `push` and `_read` are how Node's parser and the reader of a stream meet: `push` says whether to read on, `_read` asks
 * for it.
 */
export class IncomingRequest extends IncomingMessage implements ChunkedBody {
  // Without initial values: the constructor of IncomingMessage writes the first one, and most requests need none.
  declare private leavesHttp?: boolean;
  declare private response?: ServerResponse;
  declare private chunks?: SmallChunks;
  declare private hasBegun?: boolean;
  declare private wantsMore?: boolean;
  declare private readInTurn?: number;
  declare isHeld?: boolean;

  get upgrade(): boolean {
    return this.leavesHttp === true || this.socket.destroyed;
  }

  set upgrade(value: boolean) {
    this.leavesHttp = value;
  }

  /** Bounds the cost of a body from now on. What is left of it when `response` is sent is read and dropped. */
  boundBody(response: ServerResponse, chunks: SmallChunks): void {
    this.response = response;
    this.chunks = chunks;
    // Otherwise Node would drop the rest in its own way, past `push`.
    this.read(0);
    response.once('finish', () => {
      this.resume();
      if (!this.isHeld) super._read(0);
    });
  }

  /** Calls `listener` before the body is read for the first time. */
  onFirstRead(listener: () => void): void {
    this.read = (size) => {
      this.read = super.read;
      listener();
      return super.read(size);
    };
  }

  override push(chunk: Buffer | null, encoding?: BufferEncoding): boolean {
    const { chunks } = this;
    if (!chunks) return super.push(chunk, encoding);
    if (chunk === null) {
      chunks.flush();
      return super.push(null);
    }
    const isDropped = this.response!.writableEnded;
    if (chunk.length < SMALL_BYTES && this.hasBegun) {
      chunks.add(this, isDropped ? undefined : chunk);
      return !this.isHeld && this.readableLength < this.readableHighWaterMark;
    }
    this.hasBegun = true;
    this.countForTurn(chunk.length, chunks);
    if (isDropped) {
      detach(chunk);
      return !this.isHeld;
    }
    chunks.flush();
    return super.push(chunk) && !this.isHeld;
  }

  private countForTurn(bytes: number, chunks: SmallChunks): void {
    this.readInTurn = (this.readInTurn ?? 0) + bytes;
    if (this.readInTurn < TURN_BYTES || this.isHeld) return;
    this.readInTurn = 0;
    chunks.holdForTurn(this);
  }

  override _read(size: number): void {
    if (this.isHeld) this.wantsMore = true;
    else super._read(size);
  }

  append(bytes: Buffer): void {
    super.push(bytes);
  }

  hold(): void {
    this.isHeld = true;
  }

  release(): void {
    this.isHeld = false;
    if (!this.wantsMore && !this.response?.writableEnded) return;
    this.wantsMore = false;
    super._read(0);
  }
}
