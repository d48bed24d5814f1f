import type { SearchResult } from '@workspace/schemas';
import type { RecordQuery, RecordSearch } from '../src/application/record-search.ts';
import type { InMemoryLog } from './in-memory-log.ts';

/** A search of an InMemoryLog that remembers what it was asked, and gives another answer on request. */
export interface SearchInMemory extends RecordSearch {
  readonly queries: RecordQuery[];
  /** what `time` says */
  now?: Date;
  /** answers or throws instead of reading */
  instead?: () => Promise<SearchResult>;
}

export const searchInMemory = (log: InMemoryLog): SearchInMemory => {
  const search: SearchInMemory = {
    queries: [],
    time: () => search.now?.getTime(),
    find: async (query) => {
      search.queries.push(query);
      if (search.instead) return search.instead();
      const offset = log.records.findIndex(({ headers }) => headers['ce_id'] === query.submissionId);
      const record = log.records[offset];
      if (!record) return {};
      const headers = Object.entries(record.headers).map(([name, value]) => [name, String(value)]);
      return {
        found: {
          topic: 'operations',
          partition: 0,
          offset,
          value: record.value,
          headers: Object.fromEntries(headers) as Record<string, string>,
        },
      };
    },
  };
  return search;
};
