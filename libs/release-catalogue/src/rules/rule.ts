import type { Catalogue } from '../facts/catalogue.ts';

/** What a rule or a schema found in the data. */
export interface Violation {
  /** stable name of the rule: `shape`, `hash-length`, … */
  readonly rule: string;
  /** an error keeps the data from being served; a warning is shown */
  readonly severity: 'error' | 'warning';
  /** file in the data folder, `branches/8.4.json` */
  readonly file: string;
  /** JSON Pointer (RFC 6901) inside the file; '' is the whole */
  readonly pointer: string;
  /** what it is about, in words that survive reordering: `5.2.10 php-5.2.10-Win32.zip` */
  readonly subject: string;
  /** for a person */
  readonly detail: string;
  /** why the data accepts it, which makes a warning of an error */
  readonly accepted?: string;
}

/** One line for logs and terminals. */
export const violationText = ({ file, pointer, rule, detail }: Violation): string =>
  `${file}${pointer && `#${pointer}`}: ${detail} [${rule}]`;

/** What a catalogue is compared with. Each part is optional; without it the rules that need it find nothing. */
export interface Moment {
  /** the clock of the caller */
  readonly now?: Date;
  /** the catalogue that was valid until now */
  readonly before?: Catalogue;
}

/** A violation before it has the name of its rule. */
export type Finding = Omit<Violation, 'rule' | 'accepted'>;

/** One semantic rule: everything in a catalogue that breaks it. Pure; the shapes are already known to be right. */
export type Rule = (catalogue: Catalogue, moment: Moment) => Iterable<Finding>;
