import type { Option } from './extension-points.ts';
import { clientCertificates } from './features/client-certificates/index.ts';
import { jwt } from './features/jwt/index.ts';
import { rateLimit } from './features/rate-limit/index.ts';
import { tokens } from './features/tokens/index.ts';

/**
 * The options of the service, in the order in which they are asked, wrap each other and open; they close in reverse. Delete a
 * line here, its import and its folder, and the option is gone.
 */
export const options: readonly Option[] = [clientCertificates, tokens, jwt, rateLimit];
