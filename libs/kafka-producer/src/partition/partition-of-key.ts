const SEED = 0x9747b28c;
const MULTIPLIER = 0x5bd1e995;

/** MurmurHash2, 32 bits, with the seed of Kafka's Java client. @returns a signed 32-bit integer */
const murmur2 = (data: Uint8Array): number => {
  const whole = data.length & ~3;
  let hash = SEED ^ data.length;
  for (let at = 0; at < whole; at += 4) {
    let four = data[at]! | (data[at + 1]! << 8) | (data[at + 2]! << 16) | (data[at + 3]! << 24);
    four = Math.imul(four, MULTIPLIER);
    four ^= four >>> 24;
    hash = Math.imul(hash, MULTIPLIER) ^ Math.imul(four, MULTIPLIER);
  }
  const rest = data.length - whole;
  if (rest === 3) hash ^= data[whole + 2]! << 16;
  if (rest >= 2) hash ^= data[whole + 1]! << 8;
  if (rest >= 1) hash = Math.imul(hash ^ data[whole]!, MULTIPLIER);
  hash = Math.imul(hash ^ (hash >>> 13), MULTIPLIER);
  return hash ^ (hash >>> 15);
};

/**
 * The partition of a key: the one that Kafka's Java client and kafkajs choose too, so that records of one key stay
 * together whoever writes them.
 *
 * @param partitions how many the topic has, at least 1
 */
export const partitionOfKey = (key: string, partitions: number): number =>
  partitions === 1 ? 0 : (murmur2(Buffer.from(key)) & 0x7fffffff) % partitions;
