import { itFinds, REAL } from '../testing/edited-catalogue.ts';
import { newsIds, newsUpdated } from './news.ts';

const item = REAL.news[0]!;

describe('rules about news', () => {
  itFinds(newsIds, [
    [
      'two items with one id',
      (data) => data.catalogue.news.push({ ...item, title: 'Again' }),
      `error news-id news.json#/items ${item.id}`,
    ],
    [
      'a link that is no address',
      (data) => data.catalogue.news.push({ ...item, id: 'tag:x,2026:y', link: 'https://[' }),
      'error news-id news.json#/items https://[',
    ],
    [
      'another id and link',
      (data) => data.catalogue.news.push({ ...item, id: 'tag:x,2026:y', link: 'https://x.example/' }),
    ],
    [
      'an id that is no address',
      (data) => data.catalogue.news.push({ ...item, id: 'y' }),
      'error news-id news.json#/items y',
    ],
  ]);
  itFinds(newsUpdated, [
    [
      'an item that is newer than its file',
      (data) => {
        const at = '2026-08-20T00:00:00Z';
        data.catalogue.news.push({ ...item, id: 'tag:x,2026:y', published: at, updated: at });
      },
      'error news-updated news.json#/updated tag:x,2026:y 2026-08-20T00:00:00Z',
    ],
    [
      'an item that was updated before it was published',
      (data) =>
        data.catalogue.news.push({
          ...item,
          id: 'tag:x,2026:y',
          updated: '2026-08-12T00:00:00Z',
        }),
      'error news-updated news.json#/items tag:x,2026:y 2026-08-12T00:00:00Z',
    ],
    [
      'an item that changed under its old `updated`',
      (data) => {
        data.catalogue.news[0]!.summary = 'Something else.';
        Object.assign(data.catalogue, { newsUpdated: '2026-08-20T00:00:00Z' });
      },
      `error news-updated news.json#/items ${item.id} 2026-08-13T00:00:00Z`,
    ],
    [
      'an item that changed, and says so',
      (data) => {
        Object.assign(data.catalogue.news[0]!, {
          summary: 'Something else.',
          updated: '2026-08-20T00:00:00Z',
        });
        Object.assign(data.catalogue, { newsUpdated: '2026-08-20T00:00:00Z' });
      },
    ],
    [
      'an item that changed and went back in time',
      (data) => Object.assign(data.catalogue.news[0]!, { updated: '2026-08-12T00:00:00Z' }),
      [
        `error news-updated news.json#/items ${item.id} 2026-08-12T00:00:00Z`,
        `error news-updated news.json#/items ${item.id} 2026-08-12T00:00:00Z`,
      ],
    ],
  ]);
});
