import { BAD_REPLY } from '../checked-reply.ts';
import { CallFailed } from '../call-failed.ts';
import type { ScriptCall } from './redis-client.ts';
import type { RedisConnection } from './redis-connection.ts';
import { WRONG_SERVER } from './wrong-server.ts';

/** The connections, each reply checked, and replaced when they reach a server that is not the right one. */
export interface RightServer extends Pick<
  RedisConnection,
  'tags' | 'evaluate' | 'info' | 'check' | 'reconnect' | 'close'
> {
  /** Runs a script whose keys have that tag. @throws CallFailed */
  run<Reply>(tag: string, call: ScriptCall, check: (reply: unknown) => Reply): Promise<Reply>;
}

export const onRightServer = (connection: RedisConnection): RightServer => {
  // The nodes of a Cluster name the right one, and connections to the others are in use.
  const isCluster = connection.tags.length > 1;
  const isWrong = (type: string): boolean => (isCluster ? type === BAD_REPLY : WRONG_SERVER.has(type));
  const watched = async <Reply>(answer: Promise<Reply>): Promise<Reply> => {
    try {
      return await answer;
    } catch (error) {
      if (error instanceof CallFailed && isWrong(error.type)) connection.reconnect();
      throw error;
    }
  };
  return {
    ...connection,
    run: (tag, call, check) => watched(connection.run(tag, call).then(check)),
    evaluate: (...args) => watched(connection.evaluate(...args)),
  };
};

/** Checks that a script answers for each of so many keys. */
export const repliesTo =
  (count: number) =>
  (reply: unknown): readonly unknown[] => {
    if (Array.isArray(reply) && reply.length === count) return reply as unknown[];
    throw new CallFailed(BAD_REPLY, true, `the reply is not as expected: no array of ${count}`);
  };
