import type { FaultName } from './fault-names.ts';
import { Machine } from './machine.ts';
import { type Instance, startInstance } from './instance.ts';
import type { World } from './world.ts';

/**
 * What can go wrong. Each happens at once, and ends by itself after some time where it lasts.
 *
 * @param target the index of the instance that it happens to
 */
type Fault = (world: World, target: number) => void;

const seconds = (world: World, least: number, most: number): number =>
  1_000 * world.draw.between(least, most);

/** Ends a fault after some time. */
const lasting = (world: World, milliseconds: number, end: () => void): void => {
  world.lasting += 1;
  world.clock.schedule(milliseconds, () => {
    world.lasting -= 1;
    end();
  });
};

/** The number of a broker, if all of them are there: with two gone, nothing can be written. */
const aBroker = ({ cluster, draw }: World): number | undefined =>
  cluster.nodes.every(({ state }) => state === 'running') ? 1 + draw.index(cluster.nodes.length) : undefined;

export const FAULTS = {
  'instance-paused': (world, target) => {
    const { machine } = world.instances[target]!;
    const length = seconds(world, 1, 60);
    world.trace(`fault: ${machine.name} is paused for ${length.toFixed(0)} ms`);
    machine.pause();
    lasting(world, length, () => machine.resume());
  },
  'instance-killed': (world, target) => {
    const { machine } = world.instances[target]!;
    world.trace(`fault: ${machine.name} is killed`);
    machine.kill();
    lasting(world, seconds(world, 0.5, 5), () => {
      const next = new Machine(machine.name, world.clock, world.draw);
      next.skewMs = machine.skewMs;
      world.instances[target] = startInstance(next, world);
    });
  },
  'cut-from-brokers': (world, target) => {
    const { machine } = world.instances[target]!;
    const length = seconds(world, 2, 60);
    world.trace(`fault: ${machine.name} is cut off from the brokers for ${length.toFixed(0)} ms`);
    for (const node of world.cluster.nodes) world.network.cut(machine, node);
    lasting(world, length, () => {
      for (const node of world.cluster.nodes) world.network.heal(machine, node);
    });
  },
  'cut-from-store': (world, target) => {
    const { machine } = world.instances[target]!;
    const length = seconds(world, 0.2, 40);
    world.trace(`fault: ${machine.name} is cut off from the key store for ${length.toFixed(0)} ms`);
    world.network.cut(machine, world.store.machine);
    lasting(world, length, () => world.network.heal(machine, world.store.machine));
  },
  'store-down': (world) => {
    world.trace('fault: the key store is down');
    world.store.machine.pause();
    lasting(world, seconds(world, 0.2, 20), () => world.store.machine.resume());
  },
  'store-lost': (world) => {
    world.trace('fault: the key store is empty');
    world.store.clear();
  },
  'store-failover': (world) => {
    world.trace('fault: a replica of the key store takes over');
    world.store.loseLatest(world.draw.between(1, 1_000));
  },
  'leader-moves': (world) => {
    world.trace('fault: a leader moves');
    world.cluster.moveLeader(world.draw.index(2));
  },
  'broker-frozen': (world) => {
    const node = aBroker(world);
    if (node === undefined) return;
    const length = world.draw.chance(0.6) ? seconds(world, 1, 60) : seconds(world, 60, 240);
    world.trace(`fault: broker ${node} is frozen for ${length.toFixed(0)} ms`);
    world.cluster.freeze(node);
    lasting(world, length, () => {
      world.cluster.start(node);
      // It may still believe that it leads: now is the time to ask.
      for (const client of world.clients)
        world.clock.schedule(world.draw.between(0, 3_000), () => client.askAgain());
    });
  },
  'broker-killed': (world) => {
    const node = aBroker(world);
    if (node === undefined) return;
    world.trace(`fault: broker ${node} is killed`);
    world.cluster.kill(node);
    lasting(world, seconds(world, 1, 30), () => world.cluster.start(node));
  },
  'future-record': (world) => {
    world.trace('fault: another producer writes a record dated in the future');
    world.cluster.writeForeign(world.draw.index(2), seconds(world, 61, 900));
  },
  'clock-wrong': (world, target) => {
    const { machine } = world.instances[target]!;
    machine.skewMs = seconds(world, -600, 600);
    world.trace(`fault: the clock of ${machine.name} is ${machine.skewMs.toFixed(0)} ms ahead`);
  },
} as const satisfies Record<FaultName, Fault>;

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
export const letHappen = (name: FaultName, world: World, latestMs: number): void => {
  const { clock, draw, instances } = world;
  const fault: Fault = FAULTS[name];
  clock.schedule(draw.between(1_000, latestMs), () => {
    if (draw.chance(0.4)) {
      fault(world, draw.index(instances.length));
      return;
    }
    withNextRequest(world, (instance) =>
      clock.schedule(draw.between(0, draw.chance(0.5) ? 10 : 1_000), () => {
        const target = instances.indexOf(instance);
        if (target >= 0) fault(world, target);
      }),
    );
  });
};
