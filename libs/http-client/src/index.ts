export { bytesOf, type HttpAnswer, httpRequest, httpText, RequestFailed } from './http-request.ts';
