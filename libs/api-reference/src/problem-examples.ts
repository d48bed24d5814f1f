import { type OpenApi, operationsOf, type Response, responsesOf } from './open-api.ts';

/** A problem type as responses show it. */
export interface ProblemExample {
  readonly status: string;
  readonly title: string;
  /** what a client can do about it */
  readonly advice: string | undefined;
  readonly mediaType: string;
  readonly value: unknown;
  readonly response: Response;
}

/** The examples of a response, each of a problem type, by code; undefined when it is none of problems. */
const examplesIn = ([status, response]: [string, Response]): [string, ProblemExample][] | undefined => {
  const [[mediaType, media] = [], ...others] = Object.entries(response.content ?? {});
  if (Number(status) < 400 || !mediaType || !media?.examples || others.length > 0) return undefined;
  return Object.entries(media.examples).map(([code, { summary = code, description, value }]) => [
    code,
    { status, title: summary, advice: description, mediaType, value, response },
  ]);
};

/** Every problem type of a document by its code, ordered by status: what operations link to instead of repeating it. */
export class ProblemExamples extends Map<string, ProblemExample> {
  static of(document: OpenApi): ProblemExamples {
    const found = operationsOf(document)
      .flatMap((operation) => responsesOf(operation, document))
      .flatMap((response) => examplesIn(response) ?? []);
    // The first of each code: a Map keeps the last.
    const sorted = found.toReversed().toSorted(([, a], [, b]) => Number(a.status) - Number(b.status));
    return new ProblemExamples(sorted);
  }

  /** The codes of a response that says no more than they do; undefined when it has to be shown itself. */
  codesOf(status: string, response: Response): string[] | undefined {
    const examples = examplesIn([status, response]);
    const isKnown = ([code, { value }]: [string, ProblemExample]): boolean =>
      JSON.stringify(this.get(code)?.value) === JSON.stringify(value);
    return examples?.every(isKnown) ? examples.map(([code]) => code) : undefined;
  }
}
