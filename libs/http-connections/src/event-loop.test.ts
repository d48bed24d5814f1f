import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setImmediate as nextIteration } from 'node:timers/promises';
import { yieldToEventLoop } from './event-loop.ts';

/** Runs a caller for each response; resolves when no turn has had one. @returns who had each turn of the event loop */
const turnsOf = async (responses: readonly (ServerResponse | undefined)[], then?: () => void) => {
  const turns: number[][] = [];
  let had: number[] = [];
  responses.forEach((response, at) => void yieldToEventLoop(response).then(() => had.push(at)));
  then?.();
  do {
    had = [];
    await nextIteration();
    turns.push(had);
  } while (had.length > 0);
  return turns.slice(0, -1);
};
const response = (destroyed = false) =>
  Object.assign(new EventEmitter(), { destroyed }) as unknown as ServerResponse;

describe('yieldToEventLoop', () => {
  it('gives each turn to one caller, in the order in which they asked', async () => {
    expect(await turnsOf(Array(5).fill(undefined))).toEqual([[0], [1], [2], [3], [4]]);
  });

  it('begins again when all have had their turns', async () => {
    expect(await turnsOf([undefined])).toEqual([[0]]);
    expect(await turnsOf([undefined, undefined])).toEqual([[0], [1]]);
  });

  it('gives no turn to work whose connection is closed, whether it waits for one already or not', async () => {
    const leaving = response();
    const leave = (): void => void leaving.emit('close');
    expect(await turnsOf([response(), leaving, response(true), response()], leave)).toEqual([[0], [3]]);
    expect(await turnsOf([leaving], leave)).toEqual([]);
    expect(await turnsOf([undefined])).toEqual([[0]]);
  });

  it('gives a turn to one caller when those before it have left', async () => {
    const leaving = response();
    void yieldToEventLoop(leaving);
    leaving.emit('close');
    expect(await turnsOf(Array(4).fill(undefined))).toEqual([[0], [1], [2], [3]]);
  });
});
