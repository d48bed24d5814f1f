import {
  adoptRelease,
  adoptSlot,
  branchOf,
  buildVersion,
  type Catalogue,
  EditError,
  InvalidDataError,
  type PreRelease,
  violationText,
} from '@workspace/release-catalogue';
import { openData, type WriteValues } from '../publish.ts';
import { type CliContext, UsageError } from '../terminal.ts';
import { differencesWith } from './differences.ts';
import { readPublishedSite } from './published-site.ts';

/**
 * Takes over the releases and builds that a site published since, branch by branch, and reports every other difference.
 * @returns the exit code: 1 when a branch was rejected, which does not hold up the others
 */
export const importSite = async (
  address: string,
  values: WriteValues,
  context: CliContext,
): Promise<number> => {
  const source = siteAddress(address);
  const { terminal, now } = context;
  const site = await readPublishedSite(source);
  const { catalogue } = await openData(values, context);
  const { releases, slots, reports } = differencesWith(site, catalogue);
  releases.forEach(({ version, published }) => terminal.out(`new: ${version} of ${published.date}`));
  slots.forEach((slot) => terminal.out(`new: ${slotName(slot)}`));
  reports.forEach(terminal.out);
  terminal.out(`${releases.length + slots.length} new, ${reports.length} other differences`);

  const branches = [...new Set([...releases, ...slots].map(({ version }) => branchOf(version)))];
  let code = 0;
  for (const branch of branches) {
    const isOfBranch = ({ version }: { readonly version: string }) => branchOf(version) === branch;
    const edits = [
      ...releases
        .filter(isOfBranch)
        .map((item) => (facts: Catalogue) => adoptRelease(facts, item, source, now)),
      ...slots.filter(isOfBranch).map((item) => (facts: Catalogue) => adoptSlot(facts, item, source, now)),
    ];
    try {
      // Each branch is one file, checked and written on its own: a mistake in one does not hold up the others.
      const { catalogue: before, publish } = await openData(values, context);
      const after = edits.reduce((facts, edit) => withBranch(facts, edit(facts)), before);
      await publish(after.branches.find((file) => file.branch === branch)!);
    } catch (error) {
      if (!(error instanceof InvalidDataError || error instanceof EditError)) throw error;
      const reasons =
        error instanceof InvalidDataError ? error.violations.map(violationText) : [error.message];
      reasons.forEach((reason) => terminal.note(`error: ${reason}`));
      terminal.note(`${branch} was not changed.`);
      code = 1;
    }
  }
  return code;
};

const withBranch = (catalogue: Catalogue, changed: Catalogue['branches'][number]): Catalogue => ({
  ...catalogue,
  branches: catalogue.branches.map((file) => (file.branch === changed.branch ? changed : file)),
});

const slotName = (slot: PreRelease): string =>
  slot.release.number > 0 ? buildVersion(slot) : `the slot of ${slot.version}`;

const siteAddress = (text: string): string => {
  if (/^https?:\/\/\S+$/.test(text) && URL.canParse(text)) return text;
  throw new UsageError(`--url is the address of a site like https://www.php.net, not "${text}".`);
};
