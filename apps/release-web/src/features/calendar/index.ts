import type { Option } from '../../extension-points.ts';
import { schedule } from './schedule.ts';
import { timeline } from './timeline.ts';

const SCHEDULE = '/api/v1/schedule.ics';

/** The days on which the support of branches changes as a calendar, and how long each is supported as a picture. */
export const calendar: Option = {
  name: 'calendar',
  links: { calendar: SCHEDULE, branchCalendar: (branch) => `${SCHEDULE}?branch=${branch}` },
  routes: (answers) => {
    schedule(answers, SCHEDULE);
    timeline(answers, '/api/v1/timeline.svg');
  },
};
