import { eventually, freePorts } from '@workspace/testing';
import { violations } from '../support/answer-log.ts';
import { type Chronyd, type ChronydOptions, startChronyd } from '../support/chronyd.ts';
import { acceptedMore, type FaultScenario, startUnderLoad } from './test-bed.ts';

const SYNCHRONISED = 'operations_clock_synchronised';

/**
 * T1: chronyd loses its server, ends, returns with a clock that is off, and recovers. /health and the metrics say so each time,
 * and submissions are accepted all the while.
 */
export const clockUnsynchronised: FaultScenario = {
  id: 'T1',
  fault: 'clock not synchronised, not known, and too far off',
  run: async (bed) => {
    const [ntpPort, commandPort] = await freePorts(2);
    const server = await startChronyd({ ntpPort });
    let daemon: Chronyd | undefined;
    const chronyd = async (options?: ChronydOptions): Promise<void> => {
      await daemon?.stop();
      daemon = options && (await startChronyd({ commandPort, ...options }));
    };
    await chronyd({ follows: ntpPort });
    const { service, load, answers, topic } = await startUnderLoad(bed, 'clock', {
      env: {
        AUDIT_TRAIL: 'time,instance,client-address,digest,request-id',
        CLOCK_SOURCE: `chrony://127.0.0.1:${commandPort}`,
        // What the machine's load adds between two chronyds stays below it.
        CLOCK_MAX_DIVERGENCE_US: '20000',
        CLOCK_PROBE_INTERVAL_MS: '100',
      },
    });
    const found: string[] = [];
    const says = async (text: string, synchronised: string): Promise<void> => {
      await eventually(text, async () => {
        const { status, checks } = (await (await fetch(`${service.url}/health`)).json()) as {
          status: string;
          checks: Record<string, { status: string; output?: string }[]>;
        };
        const [check] = checks['clock:divergence'] ?? [];
        if ((status === 'warn') !== (check?.status === 'warn')) found.push(`${status} with ${check?.status}`);
        return text === 'pass' ? check?.status === text : check?.output?.includes(text);
      });
      const metrics = await (await fetch(`${service.managementUrl}/metrics`)).text();
      const shown = new RegExp(`^${SYNCHRONISED} (.*)$`, 'm').exec(metrics)?.[1];
      if (shown !== synchronised) found.push(`${SYNCHRONISED} is ${shown}, not ${synchronised}: ${text}`);
      await acceptedMore(load, 100);
    };
    await says('pass', '1');
    await chronyd({});
    await says('not synchronised', '0');
    await chronyd();
    await says('not known', 'Nan');
    await chronyd({ follows: ntpPort, ahead: 0.5 });
    await says('off UTC', '1');
    await chronyd({ follows: ntpPort });
    await says('pass', '1');
    await load.stop();
    await service.stop();
    await chronyd();
    await server.stop();
    const audit = await answers.audit(bed.broker, topic);
    return { figures: { ...audit }, violations: [...violations(audit), ...found] };
  },
};
