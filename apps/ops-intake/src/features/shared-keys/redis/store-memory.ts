import type { StoreCapacity } from '../store-server.ts';

/** How full a Redis or Valkey server is, and what it does when it is full. */
export interface StoreMemory {
  usedBytes: number;
  /** undefined: no limit */
  maxBytes?: number;
  /** keys dropped to make room, since the server started */
  evictedKeys: number;
}

const NEARLY_FULL = 0.8;
const MEGABYTE = 1_000_000;

/** Reads what `INFO` says; undefined when the server does not report it. */
const readStoreMemory = (info: string): StoreMemory | undefined => {
  const field = (name: string): string | undefined => new RegExp(`^${name}:(.*?)\r?$`, 'm').exec(info)?.[1];
  const usedBytes = Number(field('used_memory'));
  if (!Number.isFinite(usedBytes)) return undefined;
  const maxBytes = Number(field('maxmemory'));
  return {
    usedBytes,
    ...(maxBytes > 0 && { maxBytes }),
    evictedKeys: Number(field('evicted_keys') ?? 0),
  };
};

/** Of all servers that hold keys: what they use together, and the first that needs an operator. */
export const capacityOf = (infos: readonly string[]): StoreCapacity | undefined => {
  const memories = infos.map(readStoreMemory).filter((memory) => memory !== undefined);
  if (memories.length === 0) return undefined;
  const sum = (values: number[]): number => values.reduce((total, value) => total + value, 0);
  const warning = memories.map(memoryWarning).find((text) => text !== undefined);
  const limits = memories.map(({ maxBytes }) => maxBytes).filter((bytes) => bytes !== undefined);
  return {
    evictions: sum(memories.map(({ evictedKeys }) => evictedKeys)),
    ...(warning !== undefined && { warning }),
    use: {
      unit: 'bytes',
      used: sum(memories.map(({ usedBytes }) => usedBytes)),
      ...(limits.length === memories.length && { capacity: sum(limits) }),
    },
  };
};

/** What an operator has to act on before keys are lost or rejected; undefined when nothing. */
const memoryWarning = ({ usedBytes, maxBytes }: StoreMemory): string | undefined => {
  if (maxBytes === undefined) return undefined;
  if (usedBytes < NEARLY_FULL * maxBytes) return undefined;
  const percent = Math.floor((usedBytes / maxBytes) * 100);
  return `${percent} % of ${Math.round(maxBytes / MEGABYTE)} MB used; at 100 % submissions with a key get 503`;
};
