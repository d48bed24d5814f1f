import type { Catalogue, LoadedCatalogue, Moment } from '@workspace/release-catalogue';

/** Port: where the facts about releases come from. */
export interface ReleaseCatalogue {
  /** where that is, for log lines and error messages */
  readonly source: string;
  /** A text that differs whenever the stored facts may have changed. */
  signature(): Promise<string>;
  /**
   * Reads and checks all facts.
   * @param moment what they are compared with: the facts in use and the clock
   * @throws InvalidDataError when they cannot be served
   */
  load(moment?: Moment): Promise<LoadedCatalogue>;
}

/** Port: keeps the facts that were served last, for a start at which the stored facts are invalid. */
export interface LastValidCatalogue {
  /**
   * @returns undefined when none are kept
   * @throws when what is kept is damaged
   */
  load(): Promise<Catalogue | undefined>;
  save(catalogue: Catalogue): Promise<void>;
}
