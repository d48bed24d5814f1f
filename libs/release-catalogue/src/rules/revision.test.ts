import { newViolations, type RuleCase } from '../testing/edited-catalogue.ts';
import { revisionAhead } from './revision.ts';

const cases: RuleCase[] = [
  {
    title: 'facts that change next year',
    rule: revisionAhead,
    edit: (data) => (data.branch('8.4').updated = '2027-08-27T09:00:00Z'),
    finds: ['error revision-ahead branches/8.4.json#/updated branches/8.4.json 2027-08-27T09:00:00Z'],
  },
  {
    title: 'facts that change now, by a clock that is a little fast',
    rule: revisionAhead,
    edit: (data) => (data.branch('8.4').updated = '2026-08-27T09:05:00Z'),
    finds: [],
  },
  {
    title: 'news of next year, and a file of news that changes then',
    rule: revisionAhead,
    edit: ({ catalogue }) => {
      Object.assign(catalogue, { newsUpdated: '2027-01-01T00:00:00Z' });
      catalogue.news[0]!.published = '2027-01-02T00:00:00Z';
    },
    finds: [
      'error revision-ahead news.json#/updated news.json 2027-01-01T00:00:00Z',
      'error revision-ahead news.json#/items news.json 2027-01-02T00:00:00Z',
    ],
  },
];

describe('the rule about instants to come', () => {
  it.each(cases)('$rule.name: $title', (ruleCase) => {
    expect(newViolations(ruleCase)).toEqual(ruleCase.finds);
  });
});
