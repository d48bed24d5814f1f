import { isRedisUrl } from '@workspace/service-kit/rate-limit';

export const isPostgresUrl = (url: string): boolean =>
  /^postgres(ql)?:$/.test(URL.parse(url)?.protocol ?? '');

/** Other clients take several hosts here, and try one after the other. */
const hasOneHost = (url: string): boolean => URL.parse(url)?.host.includes(',') === false;

/** Sentinels with the name of a master, or nodes of a Cluster. */
const SEVERAL_REDIS =
  /^rediss?\+(?:sentinel:\/\/(?:[^\s@/]*@)?[^\s@/?#]+\/[^\s/?#]+(?:\/\d+)?|cluster:\/\/(?:[^\s@/]*@)?[^\s@/?#]+\/?)(?:\?[^\s#]*)?$/;

/** Whether a key store can be at this URL. */
export const isStoreUrl = (url: string): boolean =>
  SEVERAL_REDIS.test(url) || ((isRedisUrl(url) || isPostgresUrl(url)) && hasOneHost(url));
