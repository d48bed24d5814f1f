import { escapeMarkup } from '@workspace/service-kit';
import {
  buildVersion,
  isEnabled,
  parseDateText,
  type PreRelease,
  type ProductFile,
} from '@workspace/release-catalogue';
import { isStale } from '../../domain/data-age.ts';
import { day } from '../dates.ts';
import { buildFiles, fileList } from './files.ts';

/** Whether a build can be downloaded and is new enough to be the one that its managers want to be tested. */
export const isToTest = (slot: PreRelease, now: Date, staleDays: number): boolean => {
  const date = dateOf(slot);
  return isEnabled(slot) && (date === null || !isStale(date, now, staleDays));
};

const dateOf = ({ release }: PreRelease): Date | null =>
  release.date === undefined ? null : parseDateText(release.date);

/** A build to test with its files. */
export const buildSection = (product: ProductFile, slot: PreRelease): string => {
  const version = escapeMarkup(buildVersion(slot));
  const date = dateOf(slot);
  return `<section class="release" id="v${version}">
<div class="release-head"><h3>${escapeMarkup(product.name)} ${version}</h3>${date ? `<span class="muted">${day(date)}</span>` : ''}<span class="tag">Not for production</span></div>
${fileList(buildFiles(product, slot))}
</section>`;
};
