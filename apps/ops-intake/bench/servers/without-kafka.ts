import { serveAppOn } from './app-on.ts';
import { reportLoopDelay } from './loop-delay.ts';

// What everything but Kafka costs: a log that acknowledges at once.
let offset = 0;
await serveAppOn({
  append: (_record, listener) => {
    listener.settled({ outcome: 'accepted', topic: 'operations', partition: 0, offset: offset++ });
    return { withdraw: () => false };
  },
  isFull: () => false,
  status: () => ({ connected: true, queued: { records: 0, bytes: 0 } }),
  close: async () => undefined,
});
reportLoopDelay();
