import { escapeMarkup } from '@workspace/service-kit';
import type { SubmissionOutcomeBody } from '../submit/submission-schema.ts';

const HEADINGS: Readonly<Record<string, readonly [heading: string, meaning: string]>> = {
  accepted: ['Accepted', 'The record is in the topic, and every in-sync replica has it.'],
  'in-flight': ['On its way to Kafka', 'Reload this page in a second.'],
  unknown: ['The outcome is not known', ''],
};

/** What became of a submission, for people: a title, and the content of a page as markup. */
export const outcomePage = (body: SubmissionOutcomeBody): [title: string, content: string] => {
  const { submissionId, outcome, detail, ...metadata } = body as typeof body & { detail?: string };
  const [heading, meaning] = HEADINGS[outcome]!;
  const facts = Object.entries({ 'submission id': submissionId, ...metadata }).map(
    ([term, value]) => `<dt>${term}</dt><dd>${escapeMarkup(String(value))}</dd>`,
  );
  return [
    heading,
    `<h1>${heading}</h1>\n<p class="lead">${escapeMarkup(detail ?? meaning)}</p>\n<dl>${facts.join('')}</dl>`,
  ];
};
