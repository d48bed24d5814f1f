export * from './accepted-findings-file.ts';
export * from './branch-file.ts';
export * from './news-file.ts';
export * from './release.ts';
export * from './product-file.ts';
export * from './signing-key.ts';
