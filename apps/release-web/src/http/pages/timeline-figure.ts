import type { BranchFile } from '@workspace/release-catalogue';
import { escapeMarkup } from '@workspace/service-kit';
import { drawTimeline, type TimelineSpan } from './timeline.ts';

const percent = (fraction: number): string => `${Math.round(fraction * 10_000) / 100}%`;

/**
 * A timeline on a page. Its horizontal lengths are parts of the width and its text is not scaled, so that it is legible
 * on a phone; its height is known before it is drawn.
 * @param label what it shows, for those who cannot see it, text
 * @param calendar the address of its dates as a calendar
 */
export const timelineFigure = (
  branches: readonly BranchFile[],
  span: TimelineSpan,
  now: Date,
  label: string,
  calendar: string | undefined,
): string => {
  const { shapes, height } = drawTimeline(branches, span, now, percent);
  return `<figure>
<div class="timeline"><svg role="img" aria-label="${escapeMarkup(label)}" width="100%" height="${height}">
${shapes}
</svg></div>
<figcaption><span class="key stable">Active support</span><span class="key security">Security fixes only</span>${calendar ? `<a href="${escapeMarkup(calendar)}">Add these dates to a calendar</a>` : ''}</figcaption>
</figure>`;
};
