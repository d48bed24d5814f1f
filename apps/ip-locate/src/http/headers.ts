import { OPEN_HEADERS } from '@workspace/service-kit';

/**
 * On answers that a browser might mistake for something else. Successful JSON answers, which are nearly all, go without
 * `nosniff`: no browser takes JSON for a page.
 */
export const PUBLIC_HEADERS = { ...OPEN_HEADERS, 'x-content-type-options': 'nosniff' } as const;
