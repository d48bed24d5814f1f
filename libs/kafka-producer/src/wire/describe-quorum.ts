import type { FieldReader, FieldWriter } from './fields.ts';

/*
 * DescribeQuorum, version 1 (KIP-595, KIP-836), in the protocol's flexible encoding: the one answer of Kafka that says what time
 * it is there. The quorum's leader gives its own clock as the time when it was last up to date.
 */

const NOT_KNOWN = -1;
const NO_ERROR = 0;

/** Of the one partition of the log of metadata. Each structure ends with the number of its optional fields; so does the header. */
export const writeDescribeQuorum = (writer: () => FieldWriter): FieldWriter => {
  const partition = writer().writeInt32(0).writeInt8(0);
  const topic = writer().writeUVarIntString('__cluster_metadata').writeUVarIntArray([partition]).writeInt8(0);
  return writer().writeInt8(0).writeUVarIntArray([topic]).writeInt8(0);
};

/** Passes over optional fields; all numbers of such fields are of one byte. */
const skipTags = (reader: FieldReader): void => {
  for (let left = reader.readUVarInt(); left > 0; left -= 1) {
    reader.readInt8();
    reader.readBytes(reader.readUVarInt());
  }
};

const readVoter = (reader: FieldReader) => {
  const nodeId = reader.readInt32();
  reader.readInt64(); // end of its log
  reader.readInt64(); // when it fetched last
  const upToDateAt = Number(reader.readInt64());
  skipTags(reader);
  return { nodeId, upToDateAt };
};

const readPartition = (reader: FieldReader) => {
  reader.readInt32(); // its number
  const errorCode = reader.readInt16();
  const leader = reader.readInt32();
  reader.readInt32(); // epoch
  reader.readInt64(); // high watermark
  const voters = reader.readUVarIntArray(readVoter);
  reader.readUVarIntArray(readVoter); // observers
  skipTags(reader);
  return { errorCode, time: voters?.find(({ nodeId }) => nodeId === leader)?.upToDateAt };
};

export interface QuorumTime {
  readonly errorCode: number;
  /** milliseconds since 1970 by the clock of the quorum's leader; undefined when it does not say */
  readonly time: number | undefined;
}

/** @throws RangeError when bytes are missing */
export const readQuorumTime = (reader: FieldReader): QuorumTime => {
  skipTags(reader);
  const errorOfAll = reader.readInt16();
  const topics = reader.readUVarIntArray(() => {
    reader.readUVarIntString();
    const partitions = reader.readUVarIntArray(readPartition);
    skipTags(reader);
    return partitions?.[0];
  });
  const { errorCode = NO_ERROR, time = NOT_KNOWN } = topics?.[0] ?? {};
  return { errorCode: errorOfAll || errorCode, time: time === NOT_KNOWN ? undefined : time };
};
