import type { IncomingMessage } from 'node:http';
import { beforeLookup } from './admission.ts';

it.each([
  ['a submission', '/operations', {}, 'not-published'],
  ['a submission with parameters', '/operations?dry', {}, 'not-published'],
  ['a submission with a key', '/operations', { 'idempotency-key': 'k' }, 'unknown'],
  ['a stream, whose lines have keys', '/operations/batch', {}, 'unknown'],
  ['a status query', '/operations/9b656c32-bc34-4870-8662-0572800cb7ad', {}, 'unknown'],
])('says of %s what may have been published before', (_what, url, headers, outcome) => {
  const { members } = beforeLookup({ url, headers } as IncomingMessage, {});
  expect(members).toMatchObject({ outcome });
});
