import type { ParseArgsConfig } from 'node:util';
import type { Address, Network } from '@workspace/ip-addresses';
import type { NamedFile } from '@workspace/service-process';
import type { SearchTree } from '../adapters/mmdb/search-tree.ts';
import type { DatabaseInfo } from '../application/location-database.ts';
import type { Terminal } from './terminal.ts';

export type ArgumentOptions = NonNullable<ParseArgsConfig['options']>;
/** The values of options of the command line, by name. */
export type ArgumentValues = Readonly<
  Record<string, string | boolean | readonly (string | boolean)[] | undefined>
>;

/** What databases of locations or of operators say of an address. */
export interface Facts {
  readonly country: string | null;
  readonly region: string | null;
  readonly asn: number | null;
  readonly continent: string | null;
  readonly inEu: boolean | null;
}

/** What they say of an address that they do not know. */
export const NOTHING: Facts = { country: null, region: null, asn: null, continent: null, inEu: null };

/** A database file whose networks can be walked. */
export interface OpenedDatabase {
  readonly families: readonly (4 | 6)[];
  readonly tree: SearchTree;
  readonly model: 'location' | 'operator';
  /** Null is what the file does not say. @throws UnusableFiles when the entry is damaged */
  readonly facts: (address: Address) => Facts;
}

/** What options work with. */
export interface DataOptionContext {
  readonly terminal: Terminal;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly now: Date;
  /** all of them, for those that have points of their own */
  readonly options: readonly DataOption[];
  /** @throws UsageError when a file is neither of locations nor of operators, or the error of one that cannot be read */
  readonly open: (path: string) => Promise<OpenedDatabase>;
}

/** The update could not be carried out; the database in use is untouched. */
export class UpdateFailed extends Error {
  override readonly name = 'UpdateFailed';
}

/** A new file that an update has verified, and what it would replace. */
export interface Replacement {
  /** `city`, `asn`, or the name of an option's database */
  readonly name: string;
  /** the database in place; its folder has the others */
  readonly path: string;
  readonly candidate: string;
}

/** Says why a new file is to wait beside the one in use; undefined: it may replace it. @throws UpdateFailed */
export type Examine = (replacement: Replacement) => Promise<string | undefined>;

/** Published lists of networks, of which a database is made. */
export interface PublishedLists {
  readonly urls: readonly string[];
  /** whether a list may have lost more than half of its networks */
  readonly acceptSmaller: boolean;
  readonly parse: (
    text: string,
  ) => { readonly networks: readonly Network[] } | { readonly violation: string };
  /** Makes the bytes of the database of the networks of each list. */
  readonly compile: (lists: readonly (readonly Network[])[], builtAt: Date) => Buffer;
}

/** A database besides city.mmdb and asn.mmdb that updates keep. */
export interface UpdatedDatabase {
  readonly name: string;
  /** MaxMind's */
  readonly edition: string;
  readonly help: string;
  readonly example: string;
  readonly options: ArgumentOptions;
  /** Opens the file as the service does. @throws UnusableFiles */
  readonly verify: (files: readonly NamedFile[]) => Promise<{ readonly info: DatabaseInfo }>;
  /** Undefined: it is downloaded. @throws UsageError */
  readonly listsOf: (values: ArgumentValues) => PublishedLists | undefined;
}

/** A command of `ip-locate-data`. */
export interface DataCommand {
  readonly name: string;
  readonly options: (all: readonly DataOption[]) => ArgumentOptions;
  /** @returns the exit code */
  readonly run: (
    positionals: readonly string[],
    values: ArgumentValues,
    context: DataOptionContext,
  ) => Promise<0 | 1 | 3>;
}

/** An option of `ip-locate-data`. Each member is an extension point. */
export interface DataOption {
  /** name of its folder */
  readonly name: string;
  /** Help: about its command. */
  readonly help?: (all: readonly DataOption[]) => string;
  /** Command: one of its own. */
  readonly command?: DataCommand;
  /** Update: options of the command `update`, and what they make of a file before it is installed; undefined: nothing. */
  readonly update?: {
    readonly options: ArgumentOptions;
    readonly examine: (values: ArgumentValues, context: DataOptionContext) => Promise<Examine | undefined>;
  };
  /** Database: one more that `update` keeps. */
  readonly database?: UpdatedDatabase;
}

export const isHttpUrl = (text: string): boolean => /^https?:$/.test(URL.parse(text)?.protocol ?? '');
