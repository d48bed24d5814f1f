import { openApiDocument } from '@workspace/service-kit';
import { Problem, PROBLEM_CONTENT_TYPE } from '@workspace/schemas';
import type { Operation } from './operation.ts';

/** The description of all operations as OpenAPI 3.1, made of the schemas that judge requests and answers. */
export const openApi = (operations: readonly Operation[], version: string, baseUrl: string): object =>
  openApiDocument({
    title: 'release-web',
    version,
    description: 'Releases, support states and pre-release builds; read only, for everybody.',
    server: baseUrl,
    operations: operations.map(({ path, id, tag, summary, params, query, answers }) => ({
      method: 'get',
      path,
      id,
      tag,
      summary,
      ...(params && { params }),
      ...(query && { query }),
      responses: {
        200: {
          description: 'The answer; ETag and Last-Modified allow conditional requests.',
          content: answers,
        },
        default: { description: 'A problem, RFC 9457.', content: { [PROBLEM_CONTENT_TYPE]: Problem } },
      },
    })),
  });
