import ICAL from 'ical.js';
import { type TestService, testService } from './service.ts';

let service: TestService;
beforeAll(async () => {
  service = await testService();
});
afterAll(() => service.app.close());

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

  it('has lines of at most 75 octets, ended by CRLF', async () => {
    const { body } = await service.app.inject('/api/v1/schedule.ics');
    expect(body.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/);
    for (const line of body.split('\r\n')) expect(Buffer.byteLength(line)).toBeLessThanOrEqual(75);
  });
});
