import type { Catalogue } from '@workspace/release-catalogue';
import type { ExportedPath } from './export-requests.ts';

/** One answer, as a client would get it. */
export interface ServiceAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** The service whose answers are exported, with a clock that can be set. */
export interface ExportedService {
  readonly catalogue: Catalogue;
  /** days after which answers say that newer facts may exist */
  readonly staleDays: number;
  readonly paths: readonly ExportedPath[];
  setClock(instant: Date): void;
  /** the next moment at which answers change without new facts; null: never */
  nextTransition(): Date | null;
  /** @param url path and query */
  get(url: string, headers?: Readonly<Record<string, string>>): Promise<ServiceAnswer>;
  close(): Promise<void>;
}

export interface ExportedServiceOptions {
  /** with the release data */
  readonly folder: string;
  readonly baseUrl: string;
  readonly version: string;
  readonly now: Date;
}

export type OpenService = (options: ExportedServiceOptions) => Promise<ExportedService>;
