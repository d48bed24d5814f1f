import { type Catalogue, majorOf } from '@workspace/release-catalogue';
import type { PhpValue } from './php-value.ts';
import { hasRelease, supportState } from '../../../domain/support-state.ts';
import { stateMembers } from './branches.ts';

/** `/releases/states.php`: the state of every branch by major, both descending. */
export const statesView = (catalogue: Catalogue, now: Date): PhpValue => {
  const byMajor = new Map<string, Map<string, PhpValue>>();
  for (const branch of catalogue.branches.filter(hasRelease).reverse()) {
    const major = String(majorOf(branch.branch));
    const states = byMajor.get(major) ?? new Map<string, PhpValue>();
    byMajor.set(major, states.set(branch.branch, stateMembers(supportState(branch, now))));
  }
  return byMajor;
};
