import type { RenderProblem } from '@workspace/service-kit';
import { problemType } from '@workspace/schemas';

/** The two refusals ipapi.co answers with status 200. */
const IMITATED: readonly string[] = ['invalid-address', 'reserved-address'].map(problemType);

/**
 * One error shape everywhere: ipapi.co's members first (`error`, `reason`, `ip`, `reserved`), then the problem's.
 * Its clients know the kind by `reason`; clients of today know it by `type`.
 * @param imitatedStatus status for invalid and reserved addresses instead of 400
 */
export const renderProblem =
  (imitatedStatus?: number): RenderProblem =>
  ({ type, title, status, ...more }) => ({
    contentType: 'application/json',
    body: JSON.stringify({ error: true, reason: title, ...more, type, title, status }),
    ...(imitatedStatus !== undefined && IMITATED.includes(type) && { status: imitatedStatus }),
  });
