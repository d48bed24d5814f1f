import { testService } from './service.ts';

/** The fixture's newest fact is of 13 August 2026. */
const open = async (now: string) => {
  const { app, set } = await testService({ DATA_STALE_DAYS: '30' }, { start: now });
  const get = async (url: string) => {
    const { headers, body } = await app.inject(url);
    return { stale: headers['x-stale-data'], body };
  };
  return { app, set, get };
};

const PAGES = ['/', '/releases/', '/releases/8.4/', '/releases/8_4_24.php'];
const NOTICE = 'The data on this page is from';

describe('data without new facts for longer than DATA_STALE_DAYS', () => {
  it('say so on every page, in /health and in a header', async () => {
    const { get } = await open('2026-11-21T12:00:00Z');
    for (const url of PAGES) {
      const { stale, body } = await get(url);
      expect(body).toContain(
        `${NOTICE} <time datetime="2026-08-13">13 Aug 2026</time>, 100 days ago. Newer releases of PHP may exist.`,
      );
      expect(stale).toBe('2026-08-13');
    }
    expect((await get('/releases/branches.php')).stale).toBe('2026-08-13');
    const health = JSON.parse((await get('/health')).body);
    expect(health).toMatchObject({
      status: 'warn',
      checks: {
        'data:revision': [{ status: 'pass' }],
        'data:age': [
          {
            status: 'warn',
            observedValue: 100,
            observedUnit: 'days',
            output: 'no new facts for 100 days: newer releases may exist',
          },
        ],
      },
    });
  });

  it('begin to say so on the day after, without a restart', async () => {
    const { set, get } = await open('2026-09-12T12:00:00Z');
    const staleness = async () => {
      const pages = await Promise.all(PAGES.map(async (url) => (await get(url)).body.includes(NOTICE)));
      const { stale } = await get('/releases/states.php');
      return [...pages, stale !== undefined, JSON.parse((await get('/health')).body).status];
    };
    expect(await staleness()).toEqual([false, false, false, false, false, 'pass']);
    set('2026-09-13T00:00:00Z');
    expect(await staleness()).toEqual([true, true, true, true, true, 'warn']);
  });
});
