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
  {
    title: 'a clock that is a day fast, to the second',
    rule: revisionAhead,
    edit: (data) => {
      data.branch('8.4').updated = '2026-08-28T09:00:00Z';
      data.branch('8.5').updated = '2026-08-28T09:00:01Z';
    },
    finds: ['error revision-ahead branches/8.5.json#/updated branches/8.5.json 2026-08-28T09:00:01Z'],
  },
  {
    title: 'a product and an item of news of next year',
    rule: revisionAhead,
    edit: ({ catalogue }) => {
      catalogue.product.updated = '2027-01-01T00:00:00Z';
      catalogue.news[0]!.updated = '2027-01-02T00:00:00Z';
    },
    finds: [
      'error revision-ahead product.json#/updated product.json 2027-01-01T00:00:00Z',
      'error revision-ahead news.json#/items news.json 2027-01-02T00:00:00Z',
    ],
  },
];

describe('the rule about instants to come', () => {
  it.each(cases)('$rule.name: $title', (ruleCase) => {
    expect(newViolations(ruleCase)).toEqual(ruleCase.finds);
  });
});
