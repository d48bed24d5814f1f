import {
  bearerToken,
  parseTokenFile,
  parseTokens,
  principalOfToken,
  type TokenDigests,
} from '@workspace/service-kit/access-tokens';
import { UnusableFiles, watchSetting } from '@workspace/service-process';
import { option } from '../../extension-points.ts';
import type { Authenticator } from '../../http/admission/authentication.ts';
import { optionalText } from '../../settings.ts';

/** @param tokens digests of the tokens that are valid now */
export const tokenAuthenticator = (tokens: () => TokenDigests): Authenticator => ({
  identify: ({ headers: { authorization } }) => {
    const token = bearerToken(authorization);
    const principal = token === undefined ? undefined : principalOfToken(token, tokens());
    return principal === undefined ? undefined : { principal, type: 'api_key' };
  },
  problems: [],
  schemes: { bearer: { type: 'http', scheme: 'bearer', description: 'a token that the operator hands out' } },
});

/** Clients authenticate by tokens that the operator hands out. */
export const tokens = option({
  name: 'tokens',
  settings: {
    AUTH_TOKENS: optionalText(
      'who may submit: comma-separated `principal:token`, tokens of 16 characters or more; everyone when unset',
    ),
    AUTH_TOKENS_FILE: optionalText(
      'file with a line `principal:<SHA-256 of the token in hex>` for each who may submit, instead of AUTH_TOKENS; read again when it changes and on SIGHUP',
    ),
  },
  credentials: ['AUTH_TOKENS', 'AUTH_TOKENS_FILE'],
  violations: ({ AUTH_TOKENS, AUTH_TOKENS_FILE }) => {
    const parsed = AUTH_TOKENS === undefined ? {} : parseTokens(AUTH_TOKENS);
    return [
      ...('violation' in parsed ? [`AUTH_TOKENS: ${parsed.violation}`] : []),
      ...(AUTH_TOKENS && AUTH_TOKENS_FILE
        ? ['AUTH_TOKENS and AUTH_TOKENS_FILE must not be set together']
        : []),
    ];
  },
  open: ({ AUTH_TOKENS, AUTH_TOKENS_FILE: path, FILE_POLL_MS: pollMs }, { logger, clock, metrics }) => {
    if (path === undefined) {
      const parsed = AUTH_TOKENS === undefined ? undefined : parseTokens(AUTH_TOKENS);
      if (parsed && 'violation' in parsed) throw new Error(parsed.violation);
      return parsed && { authenticator: tokenAuthenticator(() => parsed.digests) };
    }
    return watchSetting<{ digests: TokenDigests }>({
      setting: 'AUTH_TOKENS_FILE',
      name: 'tokens',
      paths: [path],
      open: async ([file]) => {
        const parsed = parseTokenFile(String(file?.bytes));
        if ('violation' in parsed) throw new UnusableFiles(parsed.violation);
        return parsed;
      },
      logger,
      clock,
      pollMs,
    }).then((file) => {
      metrics.gauge(
        'operations_tokens_rejected',
        '1 when AUTH_TOKENS_FILE was missing or invalid at the last attempt to load it',
        () => Number(file.lastLoad?.error !== undefined),
      );
      return {
        authenticator: tokenAuthenticator(() => file.current.digests),
        warnings: () => {
          const reason = file.lastLoad?.error;
          return {
            'tokens:file': reason && `AUTH_TOKENS_FILE cannot be used, earlier tokens count: ${reason}`,
          };
        },
      };
    });
  },
});
