import type { StoreCapacity } from '../store-server.ts';

const NEARLY_FULL = 0.8;
const MEGABYTE = 1_000_000;

/** The memory of one server, as it reports it, where a limit of 0 bytes means none; undefined without a report. */
const memoryOf = (info: string) => {
  const field = (name: string): number => Number(new RegExp(`^${name}:(.*?)\r?$`, 'm').exec(info)?.[1]);
  const usedBytes = field('used_memory');
  if (!Number.isFinite(usedBytes)) return undefined;
  return { usedBytes, maxBytes: field('maxmemory') || 0, evictions: field('evicted_keys') || 0 };
};

/** Of all servers that hold keys: what they use together, and the first that needs an operator. */
export const capacityOf = (infos: readonly string[]): StoreCapacity | undefined => {
  const memories = infos.map(memoryOf).filter((memory) => memory !== undefined);
  if (memories.length === 0) return undefined;
  const sum = (values: number[]): number => values.reduce((total, value) => total + value, 0);
  // Before keys are lost or rejected.
  const full = memories.find(
    ({ usedBytes, maxBytes }) => maxBytes > 0 && usedBytes >= NEARLY_FULL * maxBytes,
  );
  const percent = full && Math.floor((full.usedBytes / full.maxBytes) * 100);
  const isLimited = memories.every(({ maxBytes }) => maxBytes > 0);
  return {
    evictions: sum(memories.map(({ evictions }) => evictions)),
    ...(full && {
      warning: `${percent} % of ${Math.round(full.maxBytes / MEGABYTE)} MB used; at 100 % submissions with a key get 503`,
    }),
    use: {
      unit: 'bytes',
      used: sum(memories.map(({ usedBytes }) => usedBytes)),
      ...(isLimited && { capacity: sum(memories.map(({ maxBytes }) => maxBytes)) }),
    },
  };
};
