import { hostname } from 'node:os';
import { Type } from '@sinclair/typebox';
import { createClientAddress } from '@workspace/service-kit/client-address';
import { type Opened, option } from '../../extension-points.ts';
import { optionalText } from '../../settings.ts';
import { createAuditTrails } from './audit-trail.ts';
import { AUDIT_FACTS, parseAuditTrail } from './facts.ts';
import { createMicrosecondClock } from './microsecond-clock.ts';

/**
 * What the option gives; nothing when it is off.
 * @param microseconds since 1970
 */
export const auditTrailOf = (
  config: Partial<Parameters<typeof createClientAddress>[0]> & {
    AUDIT_TRAIL?: string;
    INSTANCE_NAME?: string;
  },
  microseconds: () => number,
): Opened => {
  const { facts } = parseAuditTrail(config.AUDIT_TRAIL);
  if (facts.size === 0) return {};
  const instance = config.INSTANCE_NAME ?? hostname();
  const clientAddressOf = createClientAddress({ TRUST_PROXY: '', ...config });
  const recordHeaders = createAuditTrails({ facts, instance, clientAddressOf, microseconds });
  return { recordHeaders, topic: recordHeaders };
};

/** Records that say more of the requests that they came with. */
export const auditTrail = option({
  name: 'audit-trail',
  settings: {
    AUDIT_TRAIL: optionalText(
      'what records say of their requests for an audit: comma-separated `time` (in microseconds), `instance`, `client-address`, `digest`, `request-id`, see [Audit trail](audit-trail.md); nothing when unset',
    ),
    INSTANCE_NAME: Type.Optional(
      Type.String({
        pattern: '^[\\x21-\\x7e]{1,255}$',
        description: 'name of this instance in the audit trail; the name of the host when unset',
      }),
    ),
  },
  violations: ({ AUDIT_TRAIL: list }) =>
    parseAuditTrail(list).invalid.map(
      (index) => `AUDIT_TRAIL must list ${AUDIT_FACTS.join(', ')}; entry ${index} is none of them`,
    ),
  open: (config, { clock, timers }) =>
    config.AUDIT_TRAIL === undefined
      ? undefined
      : auditTrailOf(
          config,
          createMicrosecondClock({ wall: () => clock().getTime(), monotonic: timers.now }),
        ),
});
