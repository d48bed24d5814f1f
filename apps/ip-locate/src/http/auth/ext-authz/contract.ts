import type { MethodDefinition } from '@grpc/grpc-js';
import protobuf from 'protobufjs';

/**
 * What this service reads and writes of Envoy's external authorization, and of gRPC's health checks. Names of packages and
 * services, numbers and types are those of the published contracts (envoy/service/auth/v3/external_auth.proto and what it imports,
 * grpc/health/v1/health.proto); all other fields are left out, which protobuf allows.
 */
const AUTHORIZATION = `
syntax = "proto3";
package envoy.service.auth.v3;

service Authorization {
  rpc Check(CheckRequest) returns (CheckResponse);
}

message CheckRequest {
  Attributes attributes = 1;
}
message Attributes {
  Peer source = 1;
  Request request = 4;
  map<string, string> context_extensions = 10;
}
message Peer {
  Address address = 1;
}
message Address {
  SocketAddress socket_address = 1;
}
message SocketAddress {
  string address = 2;
}
message Request {
  Http http = 2;
}
message Http {
  map<string, string> headers = 3;
  // instead of headers, with encode_raw_headers
  HeaderMap header_map = 13;
}
message HeaderMap {
  repeated HeaderValue headers = 1;
}
message HeaderValue {
  string key = 1;
  string value = 2;
  bytes raw_value = 3;
}

message CheckResponse {
  Status status = 1;
  oneof http_response {
    Denied denied_response = 2;
    Admitted ok_response = 3;
  }
  Struct dynamic_metadata = 4;
}
message Status {
  int32 code = 1;
}
message Denied {
  HttpStatus status = 1;
  repeated HeaderOption headers = 2;
  string body = 3;
}
message HttpStatus {
  int32 code = 1;
}
message Admitted {
  repeated HeaderOption headers = 2;
  repeated string headers_to_remove = 5;
}
message HeaderOption {
  HeaderValue header = 1;
  // 2 overwrites a header, or adds it
  int32 append_action = 3;
}
message Struct {
  map<string, Value> fields = 1;
}
message Value {
  string string_value = 3;
}
`;

const HEALTH = `
syntax = "proto3";
package grpc.health.v1;

service Health {
  rpc Check(HealthCheckRequest) returns (HealthCheckResponse);
}
message HealthCheckRequest {
  string service = 1;
}
message HealthCheckResponse {
  // 1 serving, 2 not serving
  int32 status = 1;
}
`;

export interface CheckRequest {
  readonly attributes?: {
    readonly source?: { readonly address?: { readonly socketAddress?: { readonly address?: string } } };
    readonly request?: { readonly http?: HttpAttributes };
    readonly contextExtensions?: Readonly<Record<string, string>>;
  };
}
export interface HttpAttributes {
  readonly headers?: Readonly<Record<string, string>>;
  readonly headerMap?: {
    readonly headers?: readonly { key?: string; value?: string; rawValue?: Uint8Array }[];
  };
}

export interface HeaderOption {
  readonly header: { readonly key: string; readonly value: string };
  readonly appendAction: number;
}
export interface CheckResponse {
  readonly status: { readonly code: number };
  readonly deniedResponse?: {
    readonly status: { readonly code: number };
    readonly headers: readonly HeaderOption[];
    readonly body: string;
  };
  readonly okResponse?: {
    readonly headers: readonly HeaderOption[];
    readonly headersToRemove: readonly string[];
  };
  readonly dynamicMetadata?: {
    readonly fields: Readonly<Record<string, { readonly stringValue: string }>>;
  };
}

/** The name by which Envoy and health checks call the service. */
export const AUTHORIZATION_SERVICE = 'envoy.service.auth.v3.Authorization';

/** The method `Check` of a service, for a server or a client. */
const checkOf = <Request extends object, Response extends object>(
  proto: string,
  service: string,
): { readonly Check: MethodDefinition<Request, Response> } => {
  const { root } = protobuf.parse(proto);
  const { requestType, responseType } = root.lookupService(service).methods['Check'] as protobuf.Method;
  const codec = <T extends object>(name: string) => {
    const type = root.lookupType(`${service.replace(/\.\w+$/, '')}.${name}`);
    return {
      // Beneath a message there is a class of its own; the layers above want plain objects without defaults.
      read: (bytes: Buffer): T => type.toObject(type.decode(bytes)) as T,
      write: (message: T): Buffer => Buffer.from(type.encode(type.create(message)).finish()),
    };
  };
  const request = codec<Request>(requestType);
  const response = codec<Response>(responseType);
  return {
    Check: {
      path: `/${service}/Check`,
      requestStream: false,
      responseStream: false,
      requestSerialize: request.write,
      requestDeserialize: request.read,
      responseSerialize: response.write,
      responseDeserialize: response.read,
    },
  };
};

export const Authorization = checkOf<CheckRequest, CheckResponse>(AUTHORIZATION, AUTHORIZATION_SERVICE);

export const Health = checkOf<{ readonly service?: string }, { readonly status: number }>(
  HEALTH,
  'grpc.health.v1.Health',
);
