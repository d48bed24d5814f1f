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
