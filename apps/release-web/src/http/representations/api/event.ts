import { isoDate } from '@workspace/release-catalogue';
import type { Transition } from '../../../domain/transitions.ts';
import type { ApiEvent } from '../../schemas/event.ts';

export const eventView = ({ at, branch, kind }: Transition, now: Date): ApiEvent => ({
  date: isoDate(at),
  branch,
  kind,
  is_past: at <= now,
});
