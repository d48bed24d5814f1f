import fc from 'fast-check';
import { frameCollector } from './response-frames.ts';

const frameOf = (body: Buffer): Buffer => {
  const length = Buffer.alloc(4);
  length.writeInt32BE(body.length);
  return Buffer.concat([length, body]);
};

describe('frameCollector', () => {
  it('delivers whole frames, however the stream was cut', () => {
    const bodies = fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 8 });
    const cuts = fc.array(fc.integer({ min: 1, max: 17 }), { minLength: 1, maxLength: 40 });
    fc.assert(
      fc.property(bodies, cuts, (parts, sizes) => {
        const frames = parts.map((part) => frameOf(Buffer.from(part)));
        const stream = Buffer.concat(frames);
        const seen: Buffer[] = [];
        const collect = frameCollector((frame) => seen.push(Buffer.from(frame)));
        for (let at = 0, index = 0; at < stream.length; index += 1) {
          const size = sizes[index % sizes.length] as number;
          collect(stream.subarray(at, at + size));
          at += size;
        }
        expect(seen).toEqual(parts.map((part) => Buffer.from(part)));
      }),
    );
  });

  it('delivers nothing of a frame that is not whole', () => {
    const seen: Buffer[] = [];
    const collect = frameCollector((frame) => seen.push(frame));
    collect(frameOf(Buffer.from('answer')).subarray(0, 9));
    expect(seen).toEqual([]);
  });

  it.each([-1, 2 ** 31 - 1])('rejects a length of %d', (length) => {
    const bytes = Buffer.alloc(8);
    bytes.writeInt32BE(length);
    expect(() => frameCollector(() => undefined)(bytes)).toThrow(RangeError);
  });

  it('takes a frame of 64 MiB, and none that is larger', () => {
    const lengthOf = (length: number) => {
      const bytes = Buffer.alloc(4);
      bytes.writeInt32BE(length);
      return () => frameCollector(() => undefined)(bytes);
    };
    expect(lengthOf(67_108_864)).not.toThrow();
    expect(lengthOf(67_108_865)).toThrow(RangeError);
  });
});
