import { locations, records } from './databases.ts';
import { formats } from './formats.ts';
import { cells, lines } from './lines.ts';
import { requests } from './requests.ts';

export const targets = [records, locations, lines, cells, formats, requests];
