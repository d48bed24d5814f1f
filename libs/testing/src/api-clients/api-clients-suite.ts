import {
  type Answer,
  answerDifferences,
  type ApiCall,
  describedCalls,
  type DescribedCall,
  type OpenApiDocument,
  type PlainAnswer,
  sendCalls,
} from './api-calls.ts';
import type { ClientResult, GeneratedClient } from './generated-client.ts';
import { GO_CLIENT } from './go-client.ts';
import { JAVA_CLIENT } from './java-client.ts';
import { PYTHON_CLIENT } from './python-client.ts';
import { TYPESCRIPT_CLIENTS } from './typescript-clients.ts';
import { describeWith, missingTools } from '../tools.ts';

/** What a generator is known to leave out of a document. */
export interface LeftOut {
  readonly generator: string;
  readonly reason: string;
  /** its message; a message that stays away fails the test, like one that is not expected */
  readonly message?: RegExp;
  /** names of the calls that go past the generated functions, by the request function of the client */
  readonly calls?: readonly string[];
}

export interface ApiClientsSuite {
  /** the base URL of the running service */
  readonly url: () => string;
  /** requests; an operation without any is called with the examples of the document */
  readonly calls?: readonly ApiCall[];
  readonly leftOut?: readonly LeftOut[];
  /** matches the paths, in answers, of numbers that are measured for each answer */
  readonly measured?: RegExp;
  /** checks more of what a client got */
  readonly expectAnswers?: (answers: Readonly<Record<string, Answer>>) => Promise<void>;
}

/** Those of other languages, which take minutes, run nightly. */
const CLIENTS: readonly GeneratedClient[] = [
  ...TYPESCRIPT_CLIENTS,
  ...(process.env['NIGHTLY'] ? [PYTHON_CLIENT, GO_CLIENT, JAVA_CLIENT] : []),
];

const HELP = 'what to change: libs/service-kit/docs/generated-clients.md#when-a-client-test-fails';

/**
 * Tests clients that generators make of a running service's description: every message of a generator is an error, the
 * client has to compile, and each operation has to answer it as it answers plain fetch.
 */
export const testApiClients = ({
  url,
  calls: given = [],
  leftOut = [],
  measured,
  expectAnswers,
}: ApiClientsSuite): void => {
  describe('generated clients', () => {
    let calls: DescribedCall[];
    let plain: Map<string, PlainAnswer>;
    const results = new Map<string, Promise<ClientResult>>();
    const leftOutBy = (generator: string) => leftOut.filter((one) => one.generator === generator);

    beforeAll(async () => {
      const document = await (await fetch(`${url()}/openapi.json`)).text();
      calls = describedCalls(JSON.parse(document) as OpenApiDocument, given);
      const names = calls.map(({ name }) => name);
      const unknown = leftOut.flatMap((one) => one.calls ?? []).filter((name) => !names.includes(name));
      if (unknown.length > 0) throw new Error(`leftOut names calls that do not exist: ${unknown.join(', ')}`);
      plain = await sendCalls(url(), calls);
      // Side by side: most of a generator's time is its start.
      for (const { generator, tools, run } of CLIENTS) {
        if (missingTools(...tools).length > 0) continue;
        const direct = leftOutBy(generator).flatMap((one) => one.calls ?? []);
        const isDirect = ({ name }: DescribedCall) => direct.includes(name);
        const result = run({ serviceUrl: url(), document, calls, plain, isDirect }).catch(
          (error: unknown) => {
            throw new Error(`${String(error)}\n${HELP}`);
          },
        );
        // A client that fails before its test begins fails in its test.
        result.catch(() => undefined);
        results.set(generator, result);
      }
    });

    for (const { generator, tools } of CLIENTS) {
      describeWith(tools, generator, () => {
        it('makes a client that gets what plain fetch gets', async () => {
          const { messages, answers } = await results.get(generator)!;
          const known = leftOutBy(generator);
          for (const { reason, calls: without = [] } of known)
            console.info(
              `${generator} leaves out ${without.join(', ') || 'nothing that is called'}: ${reason}`,
            );
          const news = messages.filter((message) => !known.some((one) => one.message?.test(message)));
          const stale = known.filter(({ message }) => message && !messages.some((one) => message.test(one)));
          if (news.length > 0) throw new Error(`${news.join('\n')}\n${HELP}`);
          expect(stale).toEqual([]);
          const found = answerDifferences(plain, await sendCalls(url(), calls), answers, measured);
          if (found.length > 0) throw new Error(`${found.join('\n')}\n${HELP}`);
          await expectAnswers?.(answers);
        });
      });
    }
  });
};
