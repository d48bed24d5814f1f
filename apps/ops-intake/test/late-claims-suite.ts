import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { eventually } from '@workspace/testing';
import type { SharedStore } from '../src/features/shared-keys/shared-store.ts';
import { StoreUnavailable } from '../src/application/idempotency-store.ts';
import { claimIn, claimOf, closings } from './opened-stores.ts';

/** Time enough for the server to carry out a command; if not, the claim arrives too early to be late. */
const CARRIED_OUT_MS = 200;

/**
 * Forwards to a server. It cuts the connection on which a text is sent first, and lets the server have that text after what has the
 * text next.
 */
export const startLateProxy = async (serverPort: number) => {
  let awaited = '';
  let isFirst = false;
  let arrive = (): void => undefined;
  let hasArrived = (): void => undefined;
  const proxy = createServer((inbound) => {
    const outbound = connect(serverPort, '127.0.0.1');
    let isCut = false;
    for (const socket of [inbound, outbound]) socket.on('error', () => undefined);
    const cut = (bytes: Buffer): void => {
      isFirst = false;
      isCut = true;
      inbound.resetAndDestroy();
      arrive = () => {
        arrive = () => undefined;
        outbound.write(bytes);
        outbound.once('data', () => hasArrived());
      };
    };
    inbound.on('data', (bytes) => {
      if (isCut) return;
      const isAwaited = awaited !== '' && bytes.includes(awaited);
      if (isAwaited && isFirst) return cut(bytes);
      if (isAwaited) setTimeout(arrive, CARRIED_OUT_MS);
      outbound.write(bytes);
    });
    outbound.on('data', (bytes) => {
      if (!isCut) inbound.write(bytes);
    });
    inbound.on('close', () => {
      if (!isCut) outbound.destroy();
    });
    outbound.on('close', () => inbound.destroy());
    closings.push(() => outbound.destroy());
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  closings.push(() => proxy.close());
  return {
    port: (proxy.address() as AddressInfo).port,
    /** Resolves when the server has answered what came too late. */
    delay: (text: string): Promise<void> => {
      awaited = text;
      isFirst = true;
      return new Promise((resolve) => (hasArrived = resolve));
    },
  };
};

interface Reached {
  /** reaches the server through the proxy */
  readonly store: SharedStore;
  /** reaches it directly */
  readonly other: SharedStore;
  readonly proxy: Awaited<ReturnType<typeof startLateProxy>>;
}

/**
 * A claim reaches the server after its connection was cut, and after the key was given back.
 * @param open opens stores whose leases outlast the test
 */
export const testLateClaims = (open: () => Promise<Reached>): void => {
  it('free a key whose claim was carried out after its connection was cut', async () => {
    const { store, other, proxy } = await open();
    // Redis knows the script then, and what arrives late is carried out at once.
    await claimIn(store);
    const claim = claimOf();
    const arrived = proxy.delay(claim.owner);
    await expect(store.claim(claim)).rejects.toThrow(StoreUnavailable);
    await arrived;
    const again = { ...claim, owner: 'other' };
    await eventually('free key', async () => (await other.claim(again)).state === 'claimed');
  });

  it('free a number that was taken after its connection was cut', async () => {
    const { store, other, proxy } = await open();
    const takeOf = () => ({ series: randomUUID(), number: 1, holder: randomUUID(), owner: randomUUID() });
    await eventually('number', () => store.sequences.take(takeOf()));
    const taken = takeOf();
    const arrived = proxy.delay(taken.owner);
    await expect(store.sequences.take(taken)).rejects.toThrow(StoreUnavailable);
    await arrived;
    const next = { ...taken, holder: randomUUID(), owner: 'other' };
    await eventually('free number', async () => (await other.sequences.take(next)).state === 'taken');
  });
};
