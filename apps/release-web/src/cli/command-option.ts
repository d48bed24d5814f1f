import type { RouteOptions } from 'fastify';
import type { Catalogue } from '@workspace/release-catalogue';
import type { Command } from '@workspace/release-cli';

/** One answer, as a client would get it. */
export interface ServiceAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** The service without a port; its clock stands still. */
export interface StillService {
  readonly catalogue: Catalogue;
  readonly routes: readonly RouteOptions[];
  /** paths of options that have parameters, with each value, encoded */
  readonly optionPaths: readonly string[];
  /** @param url path and query */
  get(url: string, headers?: Readonly<Record<string, string>>): Promise<ServiceAnswer>;
  close(): Promise<void>;
}

export interface StillServiceOptions {
  /** with the release data */
  readonly folder: string;
  readonly baseUrl: string;
  readonly version: string;
  readonly now: Date;
}

export type OpenService = (options: StillServiceOptions) => Promise<StillService>;

/** An option of the command line: a command that needs the service. */
export interface CommandOption {
  /** of its folder and of the command */
  readonly name: string;
  readonly command: (openService: OpenService) => Command;
}
