import type { LookupOption } from './cli/lookup-option.ts';
import { lookupOverlay } from './features/overlay/lookup.ts';
import { lookupPrecision } from './features/precision/lookup.ts';
import { lookupTraits } from './features/traits/lookup.ts';

/** The options of the command line `ip-locate`, in the order of its help. */
export const lookupOptions: readonly LookupOption[] = [lookupTraits, lookupOverlay, lookupPrecision];
