import { newViolations, REAL, type RuleCase } from '../testing/edited-catalogue.ts';
import { newsIds, newsUpdated } from './news.ts';

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
    title: 'an item that is newer than its file',
    rule: newsUpdated,
    edit: (data) => {
      const at = '2026-08-20T00:00:00Z';
      data.catalogue.news.push({ ...item, id: 'tag:x,2026:y', published: at, updated: at });
    },
    finds: ['error news-updated news.json#/updated tag:x,2026:y 2026-08-20T00:00:00Z'],
  },
  {
    title: 'an item that was updated before it was published',
    rule: newsUpdated,
    edit: (data) =>
      data.catalogue.news.push({
        ...item,
        id: 'tag:x,2026:y',
        updated: '2026-08-12T00:00:00Z',
      }),
    finds: ['error news-updated news.json#/items tag:x,2026:y 2026-08-12T00:00:00Z'],
  },
  {
    title: 'an item that changed under its old `updated`',
    rule: newsUpdated,
    edit: (data) => {
      data.catalogue.news[0]!.summary = 'Something else.';
      Object.assign(data.catalogue, { newsUpdated: '2026-08-20T00:00:00Z' });
    },
    finds: [`error news-updated news.json#/items ${item.id} 2026-08-13T00:00:00Z`],
  },
  {
    title: 'an item that changed, and says so',
    rule: newsUpdated,
    edit: (data) => {
      Object.assign(data.catalogue.news[0]!, { summary: 'Something else.', updated: '2026-08-20T00:00:00Z' });
      Object.assign(data.catalogue, { newsUpdated: '2026-08-20T00:00:00Z' });
    },
    finds: [],
  },
  {
    title: 'another id and link',
    rule: newsIds,
    edit: (data) => data.catalogue.news.push({ ...item, id: 'tag:x,2026:y', link: 'https://x.example/' }),
    finds: [],
  },
  {
    title: 'an id that is no address',
    rule: newsIds,
    edit: (data) => data.catalogue.news.push({ ...item, id: 'y' }),
    finds: ['error news-id news.json#/items y'],
  },
  {
    title: 'an item that changed and went back in time',
    rule: newsUpdated,
    edit: (data) => Object.assign(data.catalogue.news[0]!, { updated: '2026-08-12T00:00:00Z' }),
    finds: [
      `error news-updated news.json#/items ${item.id} 2026-08-12T00:00:00Z`,
      `error news-updated news.json#/items ${item.id} 2026-08-12T00:00:00Z`,
    ],
  },
];

describe('rules about news', () => {
  it.each(cases)('$rule.name: $title', (ruleCase) => {
    expect(newViolations(ruleCase)).toEqual(ruleCase.finds);
  });
});
