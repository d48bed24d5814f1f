import { Type } from '@sinclair/typebox';
import { type ApiKeys, parseApiKeyFile } from '@workspace/service-kit/access-tokens';
import { onlyWith } from '@workspace/schemas';
import { UnusableFiles } from '@workspace/service-process';
import { type Opened, option } from '../../extension-points.ts';
import { type ApiKeySettings, createApiKeyAccess } from './keys.ts';
import { problems } from './problems.ts';
import { quotaRoute } from './quota.ts';

/** @param settings undefined: there are no keys, and `/quota` says so */
export const openedApiKeys = (settings?: ApiKeySettings): Opened => ({
  routes: (app, lookups) => quotaRoute(app, '/quota', lookups),
  ...(settings && { apiKeys: createApiKeyAccess(settings) }),
});

/** Clients with keys, which may have a limit and a precision of their own. */
export const apiKeys = option({
  name: 'api-keys',
  problems,
  settings: {
    API_KEYS_FILE: Type.Optional(
      Type.String({
        description:
          'file with a line `name:<SHA-256 of the key in hex>` for each API key, and perhaps a limit of its own such as `5000/hour`, and a precision; read again when it changes and on SIGHUP; no keys when unset',
      }),
    ),
    ...onlyWith('API_KEYS_FILE', {
      API_KEY_REQUIRED: Type.Boolean({
        default: false,
        description: 'whether lookups need an API key',
      }),
    }),
  },
  open: async ({ API_KEYS_FILE: path, API_KEY_REQUIRED: required }, { watch, precisions }) => {
    if (path === undefined) return openedApiKeys();
    const file = await watch<{ keys: ApiKeys }>({
      setting: 'API_KEYS_FILE',
      name: 'API keys',
      paths: [path],
      open: async ([only]) => {
        const parsed = parseApiKeyFile(String(only?.bytes), precisions);
        if ('violation' in parsed) throw new UnusableFiles(parsed.violation);
        return parsed;
      },
    });
    return {
      ...openedApiKeys({ keys: () => file.current.keys, required }),
      files: { keys: file },
      close: () => file.close(),
    };
  },
});
