import { type sendUnaryData, Server, ServerCredentials, type ServerUnaryCall, status } from '@grpc/grpc-js';
import type { Logger } from '@workspace/logging';
import type { Clock, Readiness } from '@workspace/service-kit';
import { createLocate, type LocateDeps } from '../../../application/locate.ts';
import type { Current } from '../../../application/location-database.ts';
import type { FileRules } from '../../../domain/access/rules-text.ts';
import type { Precision } from '../../../domain/precision.ts';
import { type FieldName, fieldLists } from '../../lookup/fields.ts';
import { Lookup, type LookupDeps } from '../../lookup/lookup.ts';
import { Access } from '../access.ts';
import { createGeoAnswer } from '../geo-answer.ts';
import { createCheck } from './check.ts';
import {
  Authorization,
  AUTHORIZATION_SERVICE,
  type CheckRequest,
  type CheckResponse,
  Health,
} from './contract.ts';

export interface ExtAuthzDeps extends LocateDeps {
  logger: Logger;
  clock: Clock;
  accessRules?: Current<FileRules> | undefined;
  ready: () => Readiness;
  settings: Pick<LookupDeps, 'clientAddressOf' | 'isTrustedProxy'> & {
    readonly defaultFields: readonly FieldName[];
    readonly precision?: Precision | undefined;
  };
}

export interface ExtAuthz {
  /** @returns the port. @throws when it is in use */
  listen(host: string, port: number): Promise<number>;
  /** Answers the calls that have arrived, and no others. */
  close(): Promise<void>;
}

/** Requests have no bodies; their headers are far smaller. */
const MAX_MESSAGE_BYTES = 1_048_576;
const SERVING = 1;
const NOT_SERVING = 2;

/** Envoy's external authorization by gRPC, and gRPC's health checks. */
export const createExtAuthz = ({
  logger,
  clock,
  accessRules,
  ready,
  settings,
  ...databases
}: ExtAuthzDeps): ExtAuthz => {
  const { all, flags } = fieldLists(databases.anonymous !== undefined);
  const lookup = new Lookup({ locate: createLocate(databases), ...settings });
  const check = createCheck({
    geoAnswer: createGeoAnswer({ lookup, clock, precision: settings.precision ?? 'full', headerFields: all }),
    access: new Access(accessRules, flags),
    defaultFields: settings.defaultFields,
    allFields: all,
  });
  const server = new Server({ 'grpc.max_receive_message_length': MAX_MESSAGE_BYTES });
  server.addService(Authorization, {
    Check: (
      { request }: ServerUnaryCall<CheckRequest, CheckResponse>,
      reply: sendUnaryData<CheckResponse>,
    ) => {
      try {
        reply(null, check(request));
      } catch (error) {
        logger.error({ err: error }, 'check for a proxy failed');
        reply({ code: status.INTERNAL });
      }
    },
  });
  server.addService(Health, {
    Check: (
      { request: { service = '' } }: ServerUnaryCall<{ service?: string }, { status: number }>,
      reply: sendUnaryData<{ status: number }>,
    ) => {
      if (service !== '' && service !== AUTHORIZATION_SERVICE) return reply({ code: status.NOT_FOUND });
      return reply(null, { status: ready().ready ? SERVING : NOT_SERVING });
    },
  });
  return {
    listen: (host, port) =>
      new Promise((resolve, reject) => {
        const address = `${host.includes(':') ? `[${host}]` : host}:${port}`;
        server.bindAsync(address, ServerCredentials.createInsecure(), (error, bound) =>
          error ? reject(error) : resolve(bound),
        );
      }),
    close: () => new Promise((resolve) => server.tryShutdown(() => resolve())),
  };
};
