import { accessTokens } from './access-tokens.ts';
import { body } from './body.ts';
import { decimals } from './decimals.ts';
import { json } from './json.ts';
import { keys } from './keys.ts';
import { requests } from './requests.ts';
import { traces } from './trace-context.ts';

export const targets = [body, json, decimals, keys, traces, accessTokens, requests];
