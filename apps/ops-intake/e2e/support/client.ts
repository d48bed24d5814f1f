import type { RunningService } from './service.ts';

export const ONE_BUY = '[{"operation":"buy","unit-cost":10.00,"quantity":100}]';

/** The body of an answer; what a test reads of it. */
interface AnswerBody {
  submissionId?: string;
  statusUrl?: string;
  type?: string;
  outcome?: string;
  partition?: number;
  offset?: number;
}

/** Posts a submission. */
export const submit = async (
  { url }: Pick<RunningService, 'url'>,
  headers: Record<string, string> = {},
  body = ONE_BUY,
) => {
  const answer = await fetch(`${url}/operations`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body,
  });
  const { status } = answer;
  return { status, headers: answer.headers, body: (await answer.json()) as AnswerBody };
};

interface Health {
  status: string;
  kafka: { error?: string };
  checks: Record<string, { status: string; output?: string }[]>;
}

export const healthOf = async ({ url }: Pick<RunningService, 'url'>): Promise<Health> =>
  (await (await fetch(`${url}/health`)).json()) as Health;

/** Why a check of /health does not pass. */
export const outputOf = async (
  service: Pick<RunningService, 'url'>,
  check: string,
): Promise<string | undefined> => (await healthOf(service)).checks[check]?.[0]?.output;

export const metricsOf = async ({ managementUrl }: RunningService): Promise<string> =>
  (await fetch(`${managementUrl}/metrics`)).text();
