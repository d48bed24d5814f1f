import type { FaultName } from './fault-names.ts';
import { Machine } from './machine.ts';
import { type Instance, startInstance } from './instance.ts';
import type { Draw } from './random.ts';
import type { World } from './world.ts';

/**
 * Lets a fault begin, and end after some time.
 *
 * @param target index of the instance that it hits, if it hits one
 */
type Fault = (world: World, draw: Draw, target: number) => void;

const seconds = (draw: Draw, least: number, most: number): number => 1_000 * draw.between(least, most);

/** Ends a fault after some time. */
const lasting = (world: World, milliseconds: number, end: () => void): void => {
  world.lasting += 1;
  world.clock.schedule(milliseconds, () => {
    world.lasting -= 1;
    world.disturbedAt = world.clock.now;
    end();
  });
};

/** The number of a broker, if all of them are there: with two gone, nothing can be written. */
const aBroker = ({ cluster }: World, draw: Draw): number | undefined =>
  cluster.nodes.every(({ state }) => state === 'running') ? 1 + draw.index(cluster.nodes.length) : undefined;

const FAULTS: Readonly<Record<FaultName, Fault>> = {
  'instance-paused': (world, draw, target) => {
    const { machine } = world.instances[target]!;
    const length = seconds(draw, 1, 60);
    world.trace(`fault: ${machine.name} is paused for ${length.toFixed(0)} ms`);
    machine.pause();
    lasting(world, length, () => machine.resume());
  },
  'instance-killed': (world, draw, target) => {
    const { machine } = world.instances[target]!;
    world.trace(`fault: ${machine.name} is killed`);
    machine.kill();
    lasting(world, seconds(draw, 0.5, 5), () => {
      const next = new Machine(machine.name, world.clock, draw.of('next instance'));
      next.skewMs = machine.skewMs;
      world.instances[target] = startInstance(next, world);
    });
  },
  'cut-from-brokers': (world, draw, target) => {
    const { machine } = world.instances[target]!;
    const length = seconds(draw, 2, draw.chance(0.5) ? 20 : 90);
    world.trace(`fault: ${machine.name} is cut off from the brokers for ${length.toFixed(0)} ms`);
    for (const node of world.cluster.nodes) world.network.cut(machine, node);
    lasting(world, length, () => {
      for (const node of world.cluster.nodes) world.network.heal(machine, node);
    });
  },
  'cut-from-store': (world, draw, target) => {
    const { machine } = world.instances[target]!;
    const length = seconds(draw, 0.2, 40);
    world.trace(`fault: ${machine.name} is cut off from the key store for ${length.toFixed(0)} ms`);
    world.network.cut(machine, world.store.machine);
    lasting(world, length, () => world.network.heal(machine, world.store.machine));
  },
  'store-down': (world, draw) => {
    world.trace('fault: the key store is down');
    world.store.machine.pause();
    lasting(world, seconds(draw, 0.2, 20), () => world.store.machine.resume());
  },
  'store-lost': (world) => {
    world.trace('fault: the key store is empty');
    world.store.clear();
  },
  'store-failover': (world, draw) => {
    world.trace('fault: a replica of the key store takes over');
    world.store.failOver(draw.between(1, 1_000));
  },
  'leader-moves': (world, draw) => {
    world.trace('fault: a leader moves');
    world.cluster.moveLeader(draw.index(2));
  },
  'broker-frozen': (world, draw) => {
    const node = aBroker(world, draw);
    if (node === undefined) return;
    const length = seconds(draw, 1, draw.chance(0.5) ? 60 : 240);
    world.trace(`fault: broker ${node} is frozen for ${length.toFixed(0)} ms`);
    world.cluster.freeze(node);
    lasting(world, length, () => {
      world.cluster.start(node);
      // It may still believe that it leads: now is the time to ask.
      for (const client of world.clients)
        world.clock.schedule(draw.between(0, 3_000), () => client.askAgain());
    });
  },
  'broker-killed': (world, draw) => {
    const node = aBroker(world, draw);
    if (node === undefined) return;
    world.trace(`fault: broker ${node} is killed`);
    world.cluster.kill(node);
    lasting(world, seconds(draw, 1, 30), () => world.cluster.start(node));
  },
  'log-truncated': (world, draw) => {
    world.trace('fault: the operator lets a replica lead that lacks the end of the log');
    world.cluster.truncate(draw.index(2), 1 + draw.index(3));
  },
  'log-deleted': (world, draw) => {
    world.trace('fault: retention deletes the beginning of the log');
    const partition = draw.index(2);
    world.cluster.deleteBefore(partition, draw.index((world.cluster.logs()[partition]?.log.length ?? 0) + 1));
  },
  throttled: (world, draw, target) => {
    const { machine } = world.instances[target]!;
    const throttleMs = draw.between(100, 20_000);
    world.trace(`fault: a quota throttles ${machine.name} by ${throttleMs.toFixed(0)} ms a request`);
    machine.throttleMs = throttleMs;
    lasting(world, seconds(draw, 2, 60), () => (machine.throttleMs = 0));
  },
  'future-record': (world, draw) => {
    world.trace('fault: another producer writes a record dated in the future');
    world.cluster.writeForeign(draw.index(2), seconds(draw, 61, 900));
  },
  'partition-added': (world) => {
    world.trace('fault: the operator adds a partition');
    world.cluster.addPartition();
  },
  'topic-recreated': (world, draw) => {
    const count = 1 + draw.index(4);
    world.trace(`fault: the operator deletes the topic and makes it anew with ${count} partitions`);
    world.cluster.recreateTopic(count);
  },
  'write-forbidden': (world, draw) => {
    const length = seconds(draw, 0.1, 60);
    world.trace(`fault: writing is forbidden for ${length.toFixed(0)} ms`);
    world.cluster.forbid(true);
    lasting(world, length, () => world.cluster.forbid(false));
  },
  'size-limited': (world, draw) => {
    const bytes = draw.chance(0.5) ? 100 : 500;
    const length = seconds(draw, 0.1, 60);
    world.trace(`fault: brokers take batches of at most ${bytes} bytes for ${length.toFixed(0)} ms`);
    world.cluster.limitBatches(bytes);
    lasting(world, length, () => world.cluster.limitBatches(Infinity));
  },
  'broker-clock-ahead': (world, draw) => {
    const { nodes } = world.cluster;
    const machine = nodes[draw.index(nodes.length)]!;
    const ahead = seconds(draw, 1, 600);
    machine.skewMs += ahead;
    world.trace(`fault: the clock of ${machine.name} jumps ${ahead.toFixed(0)} ms ahead`);
    lasting(world, seconds(draw, 5, 120), () => (machine.skewMs -= ahead));
  },
  'clock-wrong': (world, draw, target) => {
    const { machine } = world.instances[target]!;
    const ahead = seconds(draw, -600, 600);
    machine.skewMs += ahead;
    world.trace(`fault: the clock of ${machine.name} jumps ${ahead.toFixed(0)} ms ahead`);
    lasting(world, seconds(draw, 5, 120), () => (world.instances[target]!.machine.skewMs -= ahead));
  },
};

/** Runs something with the next request. */
const withNextRequest = (world: World, run: (instance: Instance) => void): void => {
  const before = world.onRequest;
  world.onRequest = (instance) => {
    world.onRequest = before;
    before(instance);
    run(instance);
  };
};

/** Lets a fault happen: at some time, or just after an instance has begun with a request. */
export const letHappen = (name: FaultName, world: World, draw: Draw, latestMs: number): void => {
  const { clock, instances } = world;
  const fault: Fault = (...hit) => {
    world.disturbedAt = clock.now;
    FAULTS[name](...hit);
  };
  clock.schedule(draw.between(1_000, latestMs), () => {
    if (draw.chance(0.4)) {
      fault(world, draw, draw.index(instances.length));
      return;
    }
    withNextRequest(world, (instance) =>
      clock.schedule(draw.between(0, draw.chance(0.5) ? 10 : 1_000), () => {
        const target = instances.indexOf(instance);
        if (target >= 0) fault(world, draw, target);
      }),
    );
  });
};
