import type { BrokerConnection } from '../wire/broker-connection.ts';

/** One connection to each broker that is asked for, opened again when it has ended. */
export const keptConnections = (open: (nodeId: number) => Promise<BrokerConnection>) => {
  const kept = new Map<number, Promise<BrokerConnection>>();
  const to = async (nodeId: number): Promise<BrokerConnection> => {
    const present = kept.get(nodeId);
    if (present) {
      const connection = await present;
      if (!connection.ended && !connection.isExpiring) return connection;
      // The first caller that finds it ended opens the next; the others find that one.
      if (kept.get(nodeId) !== present) return to(nodeId);
      connection.retire();
    }
    const opening = open(nodeId);
    kept.set(nodeId, opening);
    opening.catch(() => kept.delete(nodeId));
    return opening;
  };
  return to;
};
