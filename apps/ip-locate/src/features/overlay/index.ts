import { Type } from '@sinclair/typebox';
import type { Reloadable } from '@workspace/service-process';
import type { Overlay } from '../../application/location-database.ts';
import { daysSince } from '../../domain/build-date.ts';
import { type Opened, option } from '../../extension-points.ts';
import { type Checks, fileCheck } from '../../http/health.ts';
import { openOverlay } from './overlay-file.ts';

/** Its age is that of the file, and old is not stale, because only its owner knows what it should say. */
const checksOf = (overlay: Reloadable<Overlay>, now: Date): Checks => {
  const { networks = 0, modifiedAt = null } = overlay.current?.info ?? {};
  const check = fileCheck(overlay, {
    componentType: 'datastore',
    observedValue: modifiedAt && daysSince(modifiedAt, now),
    observedUnit: 'days',
    networks,
    modifiedAt: modifiedAt?.toISOString() ?? null,
  });
  return { overlay: [check] };
};

export const openedOverlay = (overlay: Reloadable<Overlay>): Opened => ({
  overlay,
  checks: (now) => checksOf(overlay, now),
  files: { overlay },
});

/** Networks of the operator's own. The last good file stays when a newer one is wrong. */
export const overlay = option({
  name: 'overlay',
  settings: {
    OVERLAY_PATH: Type.Optional(
      Type.String({
        description:
          'CSV file of networks of your own, private ones included, which take precedence over the databases; read again when it changes and on SIGHUP; none when unset',
      }),
    ),
  },
  open: async ({ OVERLAY_PATH: path }, { watch, timeZoneAt }) => {
    if (path === undefined) return undefined;
    const file = await watch({
      setting: 'OVERLAY_PATH',
      name: 'overlay',
      paths: [path],
      open: (files) => openOverlay(files, { timeZoneAt }),
    });
    return { ...openedOverlay(file), close: () => file.close() };
  },
});
