import { OPEN_API_CONTENT_TYPE, type Clock, type Service } from '@workspace/service-kit';
import { openApi } from '../http/open-api.ts';
import type { Operation } from '../http/operation.ts';
import { sendAnswer } from '../http/send-answer.ts';
import { buildAnswer } from '../snapshot/answer.ts';

interface Description {
  readonly operations: readonly Operation[];
  readonly version: string;
  readonly baseUrl: string;
  readonly clock: Clock;
}

/** The same for the life of a process. When it last changed is the business of a build, which keeps no date. */
const FOR_EVER = { lastModified: null, lastModifiedText: null, nextTransition: null };

/** The API's description of itself. */
export const openApiRoute = (app: Service, { operations, version, baseUrl, clock }: Description): void => {
  const document = JSON.stringify(openApi(operations, version, baseUrl), null, 2);
  const answer = buildAnswer(OPEN_API_CONTENT_TYPE, document);
  app.get('/api/v1/openapi.json', (request, reply) => sendAnswer(request, reply, answer, FOR_EVER, clock()));
};
