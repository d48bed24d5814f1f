/** On every answer: any web page may read it, problems too, because nothing here is secret or needs a cookie. */
export const OPEN_HEADERS = { 'access-control-allow-origin': '*' } as const;

/**
 * On answers that a browser might mistake for something else. Successful JSON answers, which are nearly all, go without
 * `nosniff`: no browser takes JSON for a page.
 */
export const PUBLIC_HEADERS = { ...OPEN_HEADERS, 'x-content-type-options': 'nosniff' } as const;
