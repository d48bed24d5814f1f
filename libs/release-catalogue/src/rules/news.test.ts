import { newViolations, REAL, type RuleCase } from '../testing/edited-catalogue.ts';
import { newsIds } from './news.ts';

const item = REAL.news[0]!;

const cases: RuleCase[] = [
  {
    title: 'two items with one id',
    rule: newsIds,
    edit: (data) => data.catalogue.news.push({ ...item, title: 'Again' }),
    finds: [`error news-id news.json#/items ${item.id}`],
  },
  {
    title: 'a link that is no address',
    rule: newsIds,
    edit: (data) => data.catalogue.news.push({ ...item, id: 'tag:x,2026:y', link: 'https://[' }),
    finds: ['error news-id news.json#/items https://['],
  },
  {
    title: 'another id and link',
    rule: newsIds,
    edit: (data) => data.catalogue.news.push({ ...item, id: 'tag:x,2026:y', link: 'https://x.example/' }),
    finds: [],
  },
];

describe('rules about news', () => {
  it.each(cases)('$rule.name: $title', (ruleCase) => {
    expect(newViolations(ruleCase)).toEqual(ruleCase.finds);
  });
});
