import ICAL from 'ical.js';
import type { BranchFile } from '@workspace/release-catalogue';
import { copyOfFixture, editData, type TestService, testService } from '../../../test/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await testService();
});

describe('the calendar', () => {
  it('is read by ical.js: all-day events under ids that never change', async () => {
    const answer = await service.app.inject('/api/v1/schedule.ics');
    expect(answer.headers['content-type']).toBe('text/calendar; charset=utf-8');
    const events = new ICAL.Component(ICAL.parse(answer.body)).getAllSubcomponents('vevent');
    const byId = new Map(
      events.map((event) => [event.getFirstPropertyValue('uid') as string, new ICAL.Event(event)]),
    );
    expect(byId.size).toBe(events.length);
    const end = byId.get('8.4-security-support-end@php.net')!;
    expect(end.summary).toBe('PHP 8.4: security support ends');
    expect(end.startDate.isDate).toBe(true);
    expect(end.startDate.toString()).toBe('2028-12-31');
    expect(end.endDate.toString()).toBe('2029-01-01');
    expect(end.component.getFirstPropertyValue('dtstamp')!.toString()).toBe('2026-08-13T00:00:00Z');
    expect([...byId.keys()].some((id) => id.includes('active-list'))).toBe(false);
  });

  it('moves an event under its id with a higher sequence, and cancels those of a branch that was withdrawn', async () => {
    const folder = await copyOfFixture();
    const change = (edit: (branch: BranchFile) => object) =>
      editData(folder, '8.5', (branch) => Object.assign(branch, edit(branch)));
    const end = async (branch: string) => {
      const { app } = await testService({}, { folder });
      const { body } = await app.inject('/api/v1/schedule.ics');
      const events = new ICAL.Component(ICAL.parse(body)).getAllSubcomponents('vevent');
      const event = events.find(
        (one) => one.getFirstPropertyValue('uid') === `${branch}-security-support-end@php.net`,
      )!;
      const [at, sequence, status, modified] = ['dtstart', 'sequence', 'status', 'last-modified'].map(
        (name) => event.getFirstPropertyValue(name)!,
      );
      return { at: `${at}`, sequence: Number(sequence), status, modified: `${modified}` };
    };
    const [before, other] = [await end('8.5'), await end('8.4')];
    expect(before).toMatchObject({ at: '2029-12-31', status: 'CONFIRMED' });
    await change(() => ({
      updated: '2026-11-20T10:00:00Z',
      overrides: { date: '2025-11-20', security: '2030-06-30' },
    }));
    const moved = await end('8.5');
    expect(moved).toMatchObject({ at: '2030-06-30', status: 'CONFIRMED', modified: '2026-11-20T10:00:00Z' });
    expect(moved.sequence).toBeGreaterThan(before.sequence);
    expect(await end('8.4')).toEqual(other);
    const yanked = { date: '2026-11-20', reason: 'eats data' };
    await change(({ current, history }) => ({
      updated: '2026-11-20T11:00:00Z',
      current: { ...current, yanked },
      history: history.map((release) => ({ ...release, yanked })),
    }));
    const { app } = await testService({}, { folder });
    expect((await app.inject('/api/v1/timeline.svg')).body).not.toContain('8.5');
    const cancelled = await end('8.5');
    expect(cancelled).toMatchObject({ at: '2030-06-30', status: 'CANCELLED' });
    expect(cancelled.sequence).toBeGreaterThan(moved.sequence);
  });

  it('has the expected day of a future branch', async () => {
    const folder = await copyOfFixture();
    await editData(folder, '8.6', (branch) => (branch.expected = '2027-11-18'));
    const { app } = await testService({}, { folder });
    expect((await app.inject('/api/v1/schedule.ics')).body).toContain('UID:8.6-expected-release@php.net');
  });

  it('is found from the pages', async () => {
    const { body } = await service.app.inject('/releases/');
    expect(body).toMatch(
      /<link rel="alternate" type="text\/calendar" title="[^"]+" href="https:\/\/releases\.example\/api\/v1\/schedule\.ics">/,
    );
    // In the navigation, below the timeline, and for programs.
    expect(body.split('<a href="/api/v1/schedule.ics">')).toHaveLength(4);
  });

  it.each([
    ['2026-12-31T23:59:00Z', '8.4', ['8.4-active-support-end', '8.4-security-support-end']],
    ['2027-01-01T00:00:00Z', '8.4', ['8.4-security-support-end']],
    ['2026-11-21T12:00:00Z', '7.4', []],
  ])('has, of one branch, the days to come (%s, %s)', async (instant, branch, expected) => {
    service.set(instant);
    const { body, headers } = await service.app.inject(`/api/v1/schedule.ics?branch=${branch}`);
    const page = (await service.app.inject(`/releases/${branch}/`)).body;
    service.set('2026-11-21T12:00:00Z');
    const calendar = new ICAL.Component(ICAL.parse(body));
    expect(calendar.getFirstPropertyValue('name')).toBe(`PHP ${branch} support schedule`);
    expect(calendar.getAllSubcomponents('vevent').map((event) => event.getFirstPropertyValue('uid'))).toEqual(
      expected.map((id) => `${id}@php.net`),
    );
    // It changes at midnight.
    expect(headers['last-modified']).toBe(new Date(`${instant.slice(0, 10)}T00:00:00Z`).toUTCString());
    const link = `<a href="webcal://releases.example/api/v1/schedule.ics?branch=${branch}">Add these dates to a calendar</a>`;
    expect(page.includes(link)).toBe(expected.length > 0);
    expect(page.includes('Add these dates')).toBe(expected.length > 0);
  });

  it('is not there of a branch that is not there', async () => {
    const { statusCode } = await service.app.inject('/api/v1/schedule.ics?branch=9.9');
    expect(statusCode).toBe(404);
  });

  it('has lines of at most 75 octets, ended by CRLF', async () => {
    const { body } = await service.app.inject('/api/v1/schedule.ics');
    expect(body.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/);
    for (const line of body.split('\r\n')) expect(Buffer.byteLength(line)).toBeLessThanOrEqual(75);
  });
});

describe('the timeline', () => {
  it('changes at midnight', async () => {
    const modifiedAt = async (instant: string) => {
      service.set(instant);
      return (await service.app.inject('/api/v1/timeline.svg')).headers;
    };
    const evening = await modifiedAt('2026-11-21T23:59:30Z');
    expect(evening['cache-control']).toBe('public, max-age=30, stale-while-revalidate=0');
    const morning = await modifiedAt('2026-11-22T00:00:00Z');
    expect(morning['last-modified']).toBe('Sun, 22 Nov 2026 00:00:00 GMT');
    expect(morning.etag).not.toBe(evening.etag);
  });
});
