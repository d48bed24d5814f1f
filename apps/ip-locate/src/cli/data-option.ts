import type { ParseArgsConfig } from 'node:util';
import type { Address } from '@workspace/ip-addresses';
import type { DatabaseName } from '../adapters/download/sources.ts';
import type { SearchTree } from '../adapters/mmdb/search-tree.ts';
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
  /** @throws UnusableFiles when a file is neither of locations nor of operators, or the error of one that cannot be read */
  readonly open: (path: string) => Promise<OpenedDatabase>;
}

/** A new file that an update has verified, and what it would replace. */
export interface Replacement {
  readonly name: DatabaseName;
  /** the database in place; its folder has the others */
  readonly path: string;
  readonly candidate: string;
}

/** Says why a new file is to wait beside the one in use; undefined: it may replace it. @throws UpdateFailed */
export type Examine = (replacement: Replacement) => Promise<string | undefined>;

/** An option of `ip-locate-data`. Each member is an extension point. */
export interface DataOption {
  /** name of its folder */
  readonly name: string;
  /** Help: what the help ends with, before the exit codes. */
  readonly help: string;
  /** Command: one of its own. */
  readonly command: {
    readonly name: string;
    readonly options: ArgumentOptions;
    readonly run: (
      positionals: readonly string[],
      values: ArgumentValues,
      context: DataOptionContext,
    ) => Promise<0 | 1>;
  };
  /** Update: options of `update`, and what they make of a file before it is installed; undefined: nothing. */
  readonly update: {
    readonly options: ArgumentOptions;
    readonly examine: (values: ArgumentValues, context: DataOptionContext) => Promise<Examine | undefined>;
  };
}
