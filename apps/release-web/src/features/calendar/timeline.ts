import { Type } from '@sinclair/typebox';
import { escapeMarkup } from '@workspace/service-kit';
import type { Answers } from '../../http/rendering/answers.ts';
import { cacheable } from '../../http/rendering/cacheable.ts';
import { Representation } from '../../http/rendering/representation.ts';
import type { Catalogue } from '@workspace/release-catalogue';
import { branchesOnTimeline, drawTimeline, spanAround } from '../../http/pages/timeline.ts';

/** The support schedule as a picture. */
export const timeline = (answers: Answers, path: string): void =>
  answers.route(
    path,
    {
      operationId: 'timeline',
      tags: ['api'],
      summary: 'How long each branch is supported, as a picture',
      response: cacheable('The picture.', { 'image/svg+xml': Type.String() }),
    },
    ({ catalogue }, cache) =>
      (_asked, now) =>
        cache.daily(
          'timeline',
          now,
          (today) => new Representation('image/svg+xml', timelineSvg(catalogue, today)),
        ),
  );

const WIDTH = 960;
const LEFT = 68;
const RIGHT = 16;
const LEGEND = 30;

/** Colours of the file: the reader's colour scheme decides. It has a background, so that it is legible on any page. */
const FILE_STYLE = `.paper{fill:#fff}text{font:13px system-ui,sans-serif;fill:#1a1d24}.axis{fill:#5b6270}.branch{font-weight:600;font-size:15px}
.year{stroke:#d9dde3}.stable{fill:#1c7c54}.on-stable{fill:#fff}.security{fill:#f2b134}.on-security{fill:#3b2500}.future{fill:none;stroke:#5b6270;stroke-dasharray:4 3}
.ended rect{opacity:.4}.ended .until{fill:#1a1d24}.today{stroke:#c81e3a;stroke-width:2}.today-text{fill:#c81e3a;font-weight:600}
@media (prefers-color-scheme:dark){.paper{fill:#111418}text{fill:#e7eaee}.axis{fill:#a2abb8}.year{stroke:#353c47}.stable{fill:#4cc38a}.on-stable{fill:#06281a}.security{fill:#e3a436}.on-security{fill:#2a1a00}.future{stroke:#a2abb8}.ended .until{fill:#e7eaee}.today{stroke:#ff7a8a}.today-text{fill:#ff7a8a}}`;

/** `/api/v1/timeline.svg`: how long each branch is supported, around today, as a file of its own. */
export const timelineSvg = (catalogue: Catalogue, now: Date): string => {
  const branches = branchesOnTimeline(catalogue, now);
  const width = WIDTH - LEFT - RIGHT;
  const drawing = drawTimeline(branches, spanAround(branches, now), now, (fraction) =>
    String(Math.round(fraction * width * 10) / 10),
  );
  const height = drawing.height + LEGEND;
  const title = escapeMarkup(`${catalogue.product.name}: when each branch is supported`);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-labelledby="title">
<title id="title">${title}</title>
<style>${FILE_STYLE}</style>
<rect class="paper" width="${WIDTH}" height="${height}"/>
<g transform="translate(${LEFT})">
${drawing.shapes}
</g>
${legend(drawing.height + 16)}
</svg>
`;
};

const legend = (y: number): string =>
  `<rect class="stable" x="${LEFT}" y="${y - 11}" width="14" height="12"/><text x="${LEFT + 20}" y="${y}">active support</text>` +
  `<rect class="security" x="${LEFT + 140}" y="${y - 11}" width="14" height="12"/><text x="${LEFT + 160}" y="${y}">security fixes only</text>`;
