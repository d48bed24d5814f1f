import { dataFiles } from './data-files.ts';
import { phpEncodings, phpQueries } from './php.ts';
import { requests } from './requests.ts';

export const targets = [dataFiles, phpEncodings, phpQueries, requests];
