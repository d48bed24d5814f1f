import { type TSchema, Type } from '@sinclair/typebox';
import { type ApiResponses, apiResponse } from '@workspace/service-kit';

const CacheControl = Type.String({ examples: ['public, max-age=300'] });
const Validators = {
  ETag: Type.String({ description: 'differs by content coding', examples: ['"3w1Nf0OcH2n8yqkX0xkqGA-br"'] }),
  'Last-Modified': Type.String({
    description: 'when the answer last changed: by new facts or by a transition',
    examples: ['Thu, 13 Aug 2026 00:00:00 GMT'],
  }),
  'Cache-Control': CacheControl,
  Vary: Type.Literal('Accept-Encoding'),
  'X-Stale-Data': Type.Optional(
    Type.String({
      format: 'date',
      description: 'the date of the data, when it is so old that newer facts may exist',
      examples: ['2026-08-13'],
    }),
  ),
};

/** The responses of a route that answers from the snapshot, for `schema.response`: the body by media type, or 304. */
export const cacheable = (description: string, content: Readonly<Record<string, TSchema>>): ApiResponses => ({
  ...unconditional(description, content),
  304: apiResponse('The client has this answer already (If-None-Match, If-Modified-Since).', {
    headers: Validators,
  }),
});

/** The response of a route that never answers with 304, for `schema.response`. */
export const unconditional = (
  description: string,
  content: Readonly<Record<string, TSchema>>,
): ApiResponses => ({ 200: apiResponse(description, { content, headers: Validators }) });

/** The responses of a route that answers with a page. */
export const page = (description: string): ApiResponses => ({
  ...cacheable(description, {}),
  200: apiResponse(description, {
    content: { 'text/html': Type.String() },
    headers: { ...Validators, 'Content-Security-Policy': Type.String() },
  }),
});

/** The response of a route that sends clients elsewhere, for `schema.response`. */
export const redirection = (status: 301 | 302, description: string): ApiResponses => ({
  [status]: apiResponse(description, {
    headers: { Location: Type.String({ format: 'uri-reference' }), 'Cache-Control': CacheControl },
  }),
});

/** The responses of a route of `/api/v1`. */
export const json = (answer: TSchema): ApiResponses =>
  cacheable('The answer.', { 'application/json': answer });
