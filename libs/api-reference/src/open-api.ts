/** What the reference page reads of an OpenAPI 3.1 document. */
export interface OpenApi {
  readonly info: {
    readonly title: string;
    readonly version: string;
    readonly description?: string;
    /** of the service, where `version` is that of its interface */
    readonly 'x-software-version'?: string;
  };
  readonly tags?: readonly { readonly name: string; readonly description?: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components?: {
    readonly schemas?: Readonly<Record<string, Schema>>;
    readonly responses?: Readonly<Record<string, Response>>;
    readonly securitySchemes?: Readonly<Record<string, SecurityScheme>>;
  };
}

export interface Operation {
  readonly operationId?: string;
  readonly summary?: string;
  readonly description?: string;
  readonly tags?: readonly string[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly required?: boolean; readonly content: Contents };
  readonly responses: Readonly<Record<string, Response | Reference>>;
  readonly security?: readonly Readonly<Record<string, unknown>>[];
}

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header' | 'cookie';
  readonly required?: boolean;
  readonly description?: string;
  readonly example?: unknown;
  readonly schema: Schema;
}

export interface Response {
  readonly description: string;
  readonly headers?: Readonly<Record<string, { readonly description?: string; readonly schema: Schema }>>;
  readonly content?: Contents;
}

export type Contents = Readonly<Record<string, Media>>;
export interface Media {
  readonly schema?: Schema;
  readonly example?: unknown;
  readonly examples?: Readonly<
    Record<string, { readonly summary?: string; readonly description?: string; readonly value: unknown }>
  >;
}

export interface SecurityScheme {
  readonly type: string;
  readonly scheme?: string;
  readonly in?: 'query' | 'header' | 'cookie';
  readonly name?: string;
  readonly description?: string;
}

export interface Reference {
  readonly $ref: string;
}

export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly enum?: readonly unknown[];
  readonly examples?: readonly unknown[];
  readonly default?: unknown;
  readonly [keyword: string]: unknown;
}

/** An operation with its place in the document. */
export interface PathOperation extends Operation {
  readonly method: string;
  readonly path: string;
  /** of its section: the anchor that links keep */
  readonly id: string;
}

/** All operations, in the order of the document. */
export const operationsOf = ({ paths }: OpenApi): PathOperation[] =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      ...operation,
      method: method.toUpperCase(),
      path,
      id: operation.operationId ?? `${method}-${path}`,
    })),
  );

/** The name at the end of a reference to a component. */
export const componentName = ($ref: string): string => $ref.slice($ref.lastIndexOf('/') + 1);

/** The responses of an operation by status, shared ones included. */
export const responsesOf = (operation: Operation, { components }: OpenApi): [status: string, Response][] =>
  Object.entries(operation.responses).map(([status, response]) => [
    status,
    '$ref' in response ? components!.responses![componentName(response.$ref)]! : response,
  ]);
