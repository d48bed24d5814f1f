/** A command that a document shows, with the lines that it says the command prints. */
export interface ShownCommand {
  readonly command: string;
  readonly lines: readonly string[];
}

/** The commands behind `$` in the fenced blocks of a Markdown text, in their order. A command may go on behind a backslash. */
export const shownCommands = (markdown: string): ShownCommand[] =>
  [...markdown.matchAll(/^```(?:console)?\n(\$ [^]*?)^```$/gm)]
    .map(([, block]) => block)
    .join('')
    .split(/^\$ /m)
    .slice(1)
    .map((text) => {
      const [command = '', ...lines] = text.replaceAll(/\\\n\s*/g, '').split('\n');
      return { command, lines: lines.filter((line) => line.trim() !== '') };
    });

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/;

/**
 * What may be printed where a document shows these lines, and nothing else: other ids, measured numbers and local ports, and anything
 * where the text leaves something out (…). A document may break and indent lines for its readers.
 */
export const shownAnswer = (lines: readonly string[]): RegExp =>
  new RegExp(`^\\s*${lines.map(patternOf).join('\\s*')}\\s*$`);

const patternOf = (line: string): string => {
  const parts = line
    .trim()
    .split(new RegExp(`(${UUID.source}|…|"(?:latencyMs|partition|offset)":[\\d.]+|localhost:\\d+)`));
  const pattern = parts.map((part) => {
    if (part === '…') return '[^]*';
    if (UUID.test(part)) return UUID.source;
    const [measured] = /^"(?:latencyMs|partition|offset)":/.exec(part) ?? [];
    if (measured) return `${measured}[\\d.]+`;
    if (part.startsWith('localhost:')) return '(localhost|127\\.0\\.0\\.1):\\d+';
    return part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
  });
  return pattern.join('');
};
