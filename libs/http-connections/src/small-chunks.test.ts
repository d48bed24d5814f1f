import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { setImmediate as nextIteration } from 'node:timers/promises';
import { yieldToEventLoop } from './event-loop.ts';
import { type ChunkedBody, detach, SmallChunks } from './small-chunks.ts';

/** What happened, in order. */
let events: string[];
let open: Map<Socket, unknown>;
let chunks: SmallChunks;

beforeEach(() => {
  events = [];
  open = new Map();
  chunks = new SmallChunks(open);
});
// A body that waits for its turn has it before the next test.
afterEach(() => yieldToEventLoop());

const connect = (name: string): Socket => {
  let isPaused = false;
  const socket = Object.assign(new EventEmitter(), {
    isPaused: () => isPaused,
    pause: () => ((isPaused = true), events.push(`pause ${name}`), socket),
    resume: () => ((isPaused = false), events.push(`resume ${name}`), socket),
  }) as unknown as Socket;
  open.set(socket, {});
  return socket;
};

class FakeBody implements ChunkedBody {
  destroyed = false;
  complete = false;
  isHeld = false;
  readonly name: string;
  readonly socket: Socket;

  constructor(name: string) {
    this.name = name;
    this.socket = connect(name);
  }

  append(bytes: Buffer): void {
    events.push(`${this.name} ${bytes.length > 8 ? bytes.length : bytes.toString()}`);
  }
  hold(): void {
    this.isHeld = true;
  }
  release(): void {
    this.isHeld = false;
    this.socket.resume();
  }
  send(count: number): void {
    for (let sent = 0; sent < count; sent += 1) chunks.add(this, Buffer.from('x'));
  }
}

it('reads long bodies on one in a turn, and none from a connection that is about to be closed', async () => {
  const bodies = ['a', 'b', 'c'].map((name) => new FakeBody(name));
  for (const body of bodies) chunks.holdForTurn(body);
  expect(bodies.map(({ isHeld }) => isHeld)).toEqual([true, true, true]);
  chunks.leave(bodies[1]!.socket);
  await nextIteration();
  expect(events).toEqual(['resume a']);
  await nextIteration();
  await nextIteration();
  expect(events).toEqual(['resume a', 'resume c']);
  expect(bodies[1]!.isHeld).toBe(true);
});

it('makes one chunk of the small chunks of one body in one turn', async () => {
  const [one, other] = [new FakeBody('one'), new FakeBody('other')];
  for (const text of ['a', 'bc', 'd']) chunks.add(one, Buffer.from(text));
  for (const text of ['e', 'f']) chunks.add(other, Buffer.from(text));
  expect(events).toEqual(['one abcd']);
  await nextIteration();
  chunks.add(one, Buffer.from('g'));
  await nextIteration();
  expect(events).toEqual(['one abcd', 'other ef', 'one g']);
});

it('hands on what it has before it has more than Node reads at once', async () => {
  const body = new FakeBody('body');
  for (let sent = 0; sent < 70; sent += 1) chunks.add(body, Buffer.alloc(1_000));
  await nextIteration();
  expect(events).toEqual(['body 65000', 'body 5000']);
});

it('hands nothing on to a body whose connection has closed, and merges nothing that is not read', async () => {
  const [gone, unread] = [new FakeBody('gone'), new FakeBody('unread')];
  chunks.add(gone, Buffer.from('a'));
  gone.destroyed = true;
  chunks.add(unread, undefined);
  await nextIteration();
  expect(events).toEqual([]);
});

it('pauses all others when a turn has had enough; the next turn is for them, the newest first', async () => {
  const [first, second] = [connect('first'), connect('second')];
  const body = new FakeBody('body');
  const paused = connect('paused').pause();
  events = [];
  body.send(1_024);
  expect([events, body.isHeld]).toEqual([[], false]);
  body.send(2);
  expect(events).toEqual(['pause body', 'pause first', 'pause second']);
  expect([first, second, paused].map((socket) => socket.isPaused())).toEqual([true, true, true]);
  expect(body.isHeld).toBe(true);
  events = [];
  await nextIteration();
  expect(events).toEqual(['body 1026', 'resume second', 'resume first']);
  await nextIteration();
  expect(events.slice(3)).toEqual(['resume body']);
  expect(paused.isPaused()).toBe(true);
});

it('reads bodies that sent many small chunks one in a turn, after all others', async () => {
  const bodies = ['a', 'b', 'c'].map((name) => new FakeBody(name));
  const other = connect('other');
  for (const body of bodies) body.send(1_500);
  events = [];
  await nextIteration();
  expect(events).toEqual(['c 1500', 'resume other']);
  await nextIteration();
  await nextIteration();
  expect(events.slice(2)).toEqual(['resume a', 'resume b']);
  // One that was released sends on: those that were released before, and have nothing to send, wait for their turn, too.
  events = [];
  bodies[0]!.send(1_500);
  expect(bodies.map(({ isHeld }) => isHeld)).toEqual([true, true, true]);
  expect(other.isPaused()).toBe(true);
  for (let iteration = 0; iteration < 4; iteration += 1) await nextIteration();
  expect(events.filter((event) => event.startsWith('resume'))).toEqual([
    'resume other',
    'resume c',
    'resume a',
    'resume b',
  ]);
});

it('accepts all new connections before it reads any, the newest first, while bodies wait', async () => {
  const accept = (name: string): Socket => {
    const socket = connect(name);
    chunks.accept(socket);
    return socket;
  };
  const other = accept('other');
  await nextIteration();
  new FakeBody('body').send(1_500);
  events = [];
  for (const name of ['a', 'b', 'c']) {
    accept(name);
    await nextIteration();
  }
  expect(events).toEqual(['pause a', 'body 1500', 'pause b', 'pause c']);
  events = [];
  await nextIteration();
  expect(events).toEqual(['resume c', 'resume b', 'resume a', 'resume other']);
  await nextIteration();
  expect(events.slice(4)).toEqual(['resume body']);
  const last = accept('last');
  await nextIteration();
  expect([other, last].map((socket) => socket.isPaused())).toEqual([false, false]);
});

it('reads others again although ever new connections are accepted', async () => {
  const other = connect('other');
  new FakeBody('body').send(1_500);
  let accepted = 0;
  for (; other.isPaused(); accepted += 1) {
    chunks.accept(connect('new'));
    await nextIteration();
  }
  expect(accepted).toBe(512);
});

it('takes a connection whose body is complete for any other', async () => {
  const body = new FakeBody('body');
  body.send(1_500);
  await nextIteration();
  await nextIteration();
  body.complete = true;
  events = [];
  new FakeBody('another').send(1_500);
  await nextIteration();
  await nextIteration();
  expect(body.isHeld).toBe(false);
  expect(events).toContain('resume body');
});

it('reads nothing more from a connection that was left', async () => {
  const [body, next] = [new FakeBody('body'), new FakeBody('next')];
  const other = connect('other');
  body.send(1_500);
  next.send(1_500);
  for (const { socket } of [body, { socket: other }]) chunks.leave(socket);
  events = [];
  for (let iteration = 0; iteration < 4; iteration += 1) await nextIteration();
  expect(events).toEqual(['next 1500', 'resume next']);
});

describe('detach', () => {
  it('frees a chunk of its own, and leaves one that shares its memory', () => {
    const own = Buffer.allocUnsafeSlow(10);
    const shared = Buffer.allocUnsafeSlow(10).subarray(5);
    detach(own);
    detach(shared);
    expect([own.length, shared.length]).toEqual([0, 5]);
  });
});
