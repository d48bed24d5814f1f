import type { Catalogue } from '../facts/catalogue.ts';
import type { Violation } from '../violation.ts';

/** What a catalogue is compared with. Each part is optional; without it the rules that need it find nothing. */
export interface Moment {
  /** the clock of the caller */
  readonly now?: Date;
  /** the catalogue that was valid until now */
  readonly before?: Catalogue;
}

/** One semantic rule: everything in a catalogue that breaks it. Pure; the shapes are already known to be right. */
export type Rule = (catalogue: Catalogue, moment: Moment) => Violation[];
