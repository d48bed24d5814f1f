import { escapeMarkup } from '@workspace/service-kit';
import { buildVersion, parseDateText, type PreRelease, type ProductFile } from '@workspace/release-catalogue';
import { day } from '../dates.ts';
import { buildFiles, fileList } from './files.ts';

/** A build to test with its files. */
export const buildSection = (product: ProductFile, slot: PreRelease): string => {
  const version = escapeMarkup(buildVersion(slot));
  const date = slot.release.date === undefined ? null : parseDateText(slot.release.date);
  return `<section class="release" id="v${version}">
<div class="release-head"><h3>${escapeMarkup(product.name)} ${version}</h3>${date ? `<span class="muted">${day(date)}</span>` : ''}<span class="tag">Not for production</span></div>
${fileList(buildFiles(product, slot))}
</section>`;
};
