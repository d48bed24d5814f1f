import { detach, yieldToEventLoop } from '@workspace/http-connections';
import { CsvLines } from './csv-lines.ts';
import type { LineOptions, LineWriter } from './line-writer.ts';
import { NdjsonLines } from './ndjson-lines.ts';

export const lineWriter = (options: LineOptions): LineWriter =>
  options.output === 'csv' ? new CsvLines(options) : new NdjsonLines(options);

export interface StreamOptions {
  readonly writer: LineWriter;
  /** called before so many lines are looked up */
  readonly before?: (lines: number) => unknown;
  /** most lines that are looked up at once */
  readonly mostLines?: number;
  /** called with the bytes and lines that have been read */
  readonly progress?: (bytes: number, lines: number) => void;
}

/** Bytes of a line that is still read. */
const MAX_LINE = 16_384;
/** Lines in one turn of the event loop, of all streams together: other requests wait a few milliseconds at most. */
const LINES_PER_TURN = 250;

/**
 * Adds locations to a stream of lines in constant memory: it reads on only when what it has written has been taken.
 * @throws whatever `before` and a broken database throw
 */
export async function* enrichedLines(
  source: AsyncIterable<Uint8Array>,
  { writer, before, mostLines = LINES_PER_TURN, progress }: StreamOptions,
): AsyncGenerator<string> {
  let bytes = 0;
  let count = 0;
  const most = Math.min(mostLines, LINES_PER_TURN);
  for await (const lines of linesOf(source, (length) => void (bytes += length))) {
    for (let at = 0; at < lines.length; at += most) {
      const some = lines.slice(at, at + most);
      await before?.(some.length);
      await yieldToEventLoop();
      let written = '';
      for (const line of some) written += writer.write(line);
      count += some.length;
      progress?.(bytes, count);
      if (written !== '') yield written;
    }
  }
}

/** The lines that each chunk completes; undefined for a line that is too long. */
async function* linesOf(
  source: AsyncIterable<Uint8Array>,
  onBytes: (length: number) => void,
): AsyncGenerator<(string | undefined)[]> {
  const splitter = new LineSplitter();
  for await (const chunk of source) {
    onBytes(chunk.length);
    const lines = splitter.split(chunk);
    // While a client sends nothing more, the generators that wait for it would keep the chunk.
    detach(chunk);
    if (lines.length > 0) yield lines;
  }
  yield splitter.end();
}

/** Not in the generator, which would keep the text of a chunk while it waits for the next one. */
class LineSplitter {
  readonly #decoder = new TextDecoder();
  #rest = '';
  #isSkipping = false;
  #endsWithCr = false;

  split(chunk: Uint8Array): (string | undefined)[] {
    const decoded = this.#decoder.decode(chunk, { stream: true });
    if (decoded === '') return [];
    // The other half of a line break.
    const text = this.#endsWithCr && decoded.startsWith('\n') ? decoded.slice(1) : decoded;
    this.#endsWithCr = decoded.endsWith('\r');
    const hasCr = text.includes('\r');
    // Split once a line ends: to split what is kept for each of many tiny chunks would cost the square of their number.
    if (!hasCr && !text.includes('\n') && (this.#isSkipping || this.#rest.length + text.length <= MAX_LINE)) {
      if (!this.#isSkipping) this.#rest += text;
      return [];
    }
    const lines: (string | undefined)[] = (this.#rest + text).split(hasCr ? /\r\n?|\n/ : '\n');
    this.#rest = lines.pop() ?? '';
    // The end of a line whose beginning has been answered.
    if (this.#isSkipping && lines.length > 0) {
      lines.shift();
      this.#isSkipping = false;
    }
    for (const [at, line] of lines.entries()) if (line && line.length > MAX_LINE) lines[at] = undefined;
    if (this.#isSkipping) this.#rest = '';
    else if (this.#rest.length > MAX_LINE) {
      lines.push(undefined);
      this.#rest = '';
      this.#isSkipping = true;
    }
    return lines;
  }

  end(): string[] {
    // A character that breaks off, as U+FFFD.
    this.#rest += this.#decoder.decode();
    return this.#rest === '' || this.#isSkipping ? [] : [this.#rest];
  }
}
