import { BAD_REPLY } from '../checked-reply.ts';
import { CallFailed } from '../call-failed.ts';
import { type ScriptCall, WRONG_SERVER } from './redis-client.ts';
import type { RedisConnection } from './redis-connection.ts';

/** The connections, each reply checked, and replaced when they reach a server that is not the right one. */
export interface RightServer extends Omit<RedisConnection, 'run'> {
  /** the tag of a key with this id */
  tagOf(id: string): string;
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
    tagOf: (id) => (isCluster ? `{${id.at(-1)}}` : ''),
    run: (tag, call, check) => watched(connection.run(tag, call).then(check)),
    evaluate: (...args) => watched(connection.evaluate(...args)),
  };
};
