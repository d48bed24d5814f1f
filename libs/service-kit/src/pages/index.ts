export { type PageHeader, pageHeader, pageMarkup, pagePolicy, staleNotice } from './page.ts';
export { PAGE_STYLE } from './page-style.ts';
