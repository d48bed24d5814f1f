import { captureLogger, describeWith, eventually, freePorts } from '@workspace/testing';
import { watchClock } from '../src/adapters/clock/clock-watch.ts';
import { createMicrosecondClock } from '../src/adapters/clock/microsecond-clock.ts';
import { type Chronyd, startChronyd } from './support/chronyd.ts';

describeWith(['chronyd', 'faketime'], 'the clock by a real chronyd', () => {
  const running: Chronyd[] = [];
  const start = async (options: Parameters<typeof startChronyd>[0]) =>
    void running.push(await startChronyd(options));
  afterEach(async () => {
    await Promise.all(running.splice(0).map((one) => one.stop()));
  });

  const watching = (source: string) =>
    watchClock({
      source,
      maxDivergenceSeconds: 0.05,
      intervalMs: 50,
      clock: () => new Date(),
      microseconds: createMicrosecondClock(),
      logger: captureLogger().logger,
    });
  const reading = async (source: string, isWarned: boolean) => {
    const watch = watching(source);
    const { reading: found, warning } = await eventually(source, async () => {
      const state = watch.state();
      return state.reading?.isSynchronised && (state.warning !== undefined) === isWarned && state;
    });
    watch.close();
    return { ...found!, warning };
  };

  it('is right when its server is right', async () => {
    const [ntpPort, commandPort] = await freePorts(2);
    await start({ ntpPort });
    await start({ commandPort, follows: ntpPort });
    for (const source of [`chrony://127.0.0.1:${commandPort}`, `ntp://127.0.0.1:${ntpPort}`]) {
      const { aheadSeconds, divergenceSeconds } = await reading(source, false);
      expect(Math.abs(aheadSeconds)).toBeLessThanOrEqual(divergenceSeconds);
    }
  });

  it('is off by what its server is ahead', async () => {
    const [ntpPort] = await freePorts(1);
    await start({ ntpPort, ahead: 20 });
    const { aheadSeconds, warning } = await reading(`ntp://127.0.0.1:${ntpPort}`, true);
    // Only a part of the time goes through faketime: the kernel's timestamps do not.
    expect(aheadSeconds).toBeLessThan(-5);
    expect(warning).toContain('behind');
  });
});
