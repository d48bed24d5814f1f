import { locations, entries } from './databases.ts';
import { formats } from './formats.ts';
import { cells, lines } from './lines.ts';
import { requests } from './requests.ts';

export const targets = [entries, locations, lines, cells, formats, requests];
