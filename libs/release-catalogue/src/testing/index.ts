export * from './data-copy.ts';
export * from './edited-catalogue.ts';
export * from './tarball.ts';
export * from './php-tables.ts';
