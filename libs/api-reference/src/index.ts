export { apiReference, routesOf } from './api-reference.ts';
