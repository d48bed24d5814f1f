import { itFinds } from '../testing/edited-catalogue.ts';
import { revisionAhead } from './revision.ts';

describe('the rule about instants to come', () => {
  itFinds(revisionAhead, [
    [
      'facts that change next year',
      (data) => (data.branch('8.4').updated = '2027-08-27T09:00:00Z'),
      'error revision-ahead branches/8.4.json#/updated branches/8.4.json 2027-08-27T09:00:00Z',
    ],
    [
      'facts that change now, by a clock that is a little fast',
      (data) => (data.branch('8.4').updated = '2026-08-27T09:05:00Z'),
    ],
    [
      'news of next year, and a file of news that changes then',
      ({ catalogue }) => {
        Object.assign(catalogue, { newsUpdated: '2027-01-01T00:00:00Z' });
        catalogue.news[0]!.published = '2027-01-02T00:00:00Z';
      },
      [
        'error revision-ahead news.json#/updated news.json 2027-01-01T00:00:00Z',
        'error revision-ahead news.json#/items news.json 2027-01-02T00:00:00Z',
      ],
    ],
    [
      'a clock that is a day fast, to the second',
      (data) => {
        data.branch('8.4').updated = '2026-08-28T09:00:00Z';
        data.branch('8.5').updated = '2026-08-28T09:00:01Z';
      },
      'error revision-ahead branches/8.5.json#/updated branches/8.5.json 2026-08-28T09:00:01Z',
    ],
    [
      'a product and an item of news of next year',
      ({ catalogue }) => {
        catalogue.product.updated = '2027-01-01T00:00:00Z';
        catalogue.news[0]!.updated = '2027-01-02T00:00:00Z';
      },
      [
        'error revision-ahead product.json#/updated product.json 2027-01-01T00:00:00Z',
        'error revision-ahead news.json#/items news.json 2027-01-02T00:00:00Z',
      ],
    ],
  ]);
});
