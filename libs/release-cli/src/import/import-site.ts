import {
  adoptRelease,
  adoptSlot,
  type BranchFile,
  branchOf,
  buildVersion,
  type Catalogue,
  EditError,
  InvalidDataError,
  type PreRelease,
  violationText,
  WriteConflict,
} from '@workspace/release-catalogue';
import { openData, type WriteValues } from '../publish.ts';
import { type CliContext, CommandRejected, UsageError } from '../terminal.ts';
import { type Differences, differencesWith } from './differences.ts';
import { httpReader, type PublishedSite, type ReadPath, readPublishedSite } from './published-site.ts';

/** Exit code when the site has another digest than the data for a file that both have. */
const DIGESTS_DIFFER = 3;
/** Exit code when readers of the data are misled if the site is right. */
const MISLEADING = 4;

/** One thing to take over. Each is checked by itself, so that a bad one holds up nothing else. */
interface Adoption {
  readonly name: string;
  readonly edit: (facts: Catalogue) => BranchFile;
}

/**
 * Takes over the releases and builds that a site published since, and reports every other difference.
 * @param openReader reads it; by HTTP when left out
 * @returns the exit code: `DIGESTS_DIFFER`; else `MISLEADING`; else 1 when something could not be taken over, which
 *   does not hold up the rest
 */
export const importSite = async (
  address: string,
  values: WriteValues,
  context: CliContext,
  openReader?: (site: string) => Promise<ReadPath>,
): Promise<number> => {
  const source = siteAddress(address);
  const { terminal } = context;
  const read = openReader
    ? await openReader(source)
    : httpReader(source, (origin) => terminal.note(`warning: ${source} redirects to ${origin}.`));
  const site = await readPublishedSite(source, read);
  const { catalogue } = await openData(values, context);
  const { releases, slots, ofNewBranches, reports, misleading, otherDigests } = differencesWith(
    site,
    catalogue,
  );
  releases.forEach(({ version, published }) => terminal.out(`new: ${version} of ${published.date}`));
  slots.forEach((slot) => terminal.out(`new: ${slotName(slot)}`));
  reports.forEach(terminal.out);
  terminal.out(`${releases.length + slots.length} new, ${reports.length} other differences`);
  if (!site.support) terminal.note(`warning: ${source} does not say when support ends: not compared.`);

  let complete = site.unreadable.length === 0 && ofNewBranches.length === 0;
  for (const version of ofNewBranches) {
    terminal.note(`error: ${branchOf(version)} is not on record; open it with add-pre-release --new-branch.`);
    terminal.note(`${version} was not taken over.`);
  }
  for (const branch of new Set([...releases, ...slots].map(({ version }) => branchOf(version))))
    complete = (await adoptBranch(branch, site, values, context)) && complete;
  misleading.forEach((line) => terminal.note(`error: ${line}.`));
  if (otherDigests.length === 0) return misleading.length > 0 ? MISLEADING : complete ? 0 : 1;
  terminal.note(
    `error: ${source} has other digests than the data for ${otherDigests.join(', ')}. Check the files, then use the command correct.`,
  );
  return DIGESTS_DIFFER;
};

/** What can be taken over of one branch. @param source where it comes from, for the audit */
const adoptionsOf = (
  branch: string,
  { releases, slots }: Differences,
  source: string,
  now: Date,
): Adoption[] => {
  const isOfBranch = ({ version }: { version: string }): boolean => branchOf(version) === branch;
  return [
    ...releases.filter(isOfBranch).map((item) => ({
      name: item.version,
      edit: (facts: Catalogue) => adoptRelease(facts, item, source, now),
    })),
    ...slots.filter(isOfBranch).map((slot) => ({
      name: slotName(slot),
      edit: (facts: Catalogue) => adoptSlot(facts, slot, source, now),
    })),
  ];
};

/** Writes what can be taken over of one branch in one step. @returns whether that is all of it */
const adoptBranch = async (
  branch: string,
  site: PublishedSite,
  values: WriteValues,
  context: CliContext,
): Promise<boolean> => {
  const { terminal } = context;
  let complete = true;
  const attempt = async <T>(what: string, action: () => T | Promise<T>): Promise<T | undefined> => {
    try {
      return await action();
    } catch (error) {
      const reasons = rejectionReasons(error);
      if (!reasons) throw error;
      reasons.forEach((reason) => terminal.note(`error: ${reason}`));
      terminal.note(`${what} was not taken over.`);
      complete = false;
      return undefined;
    }
  };
  await attempt(branch, async () => {
    const { catalogue, check, publish } = await openData(values, context);
    let changed: BranchFile | undefined;
    // Compared again: another updater may have written some of it since.
    const differences = differencesWith(site, catalogue);
    for (const { name, edit } of adoptionsOf(branch, differences, site.address, context.now)) {
      changed =
        (await attempt(name, () => {
          const next = edit(changed ? withBranch(catalogue, changed) : catalogue);
          check(next);
          return next;
        })) ?? changed;
    }
    if (changed) await publish(changed);
  });
  return complete;
};

/** Why something could not be taken over; undefined for an error that neither the data nor the publisher caused. */
const rejectionReasons = (error: unknown): string[] | undefined => {
  if (error instanceof InvalidDataError) return error.violations.map(violationText);
  return error instanceof EditError || error instanceof WriteConflict || error instanceof CommandRejected
    ? [error.message]
    : undefined;
};

const withBranch = (catalogue: Catalogue, changed: BranchFile): Catalogue => ({
  ...catalogue,
  branches: catalogue.branches.map((file) => (file.branch === changed.branch ? changed : file)),
});

const slotName = (slot: PreRelease): string =>
  slot.release.number > 0 ? buildVersion(slot) : `the slot of ${slot.version}`;

const siteAddress = (text: string): string => {
  if (/^https?:\/\/\S+$/.test(text) && URL.canParse(text)) return text;
  throw new UsageError(`--url or --tuf is the address of a site like https://www.php.net, not "${text}".`);
};
