/** How wide a terminal is at least. */
const COLUMNS = 80;
/** What stands to the left of a description at most. */
const MAX_INDENT = 40;

/** Help that fits a terminal: what is too long in a line goes on below its last column, an example after a backslash. */
export const helpText = (text: string): string => text.split('\n').flatMap(fitted).join('\n');

const fitted = (line: string): string[] => {
  if (line.length <= COLUMNS) return [line];
  if (line.startsWith('Example: ')) return [fittedCommand(line)];
  const [columns = ''] = /^.*\S {2,}(?=\S)/.exec(line) ?? [];
  const [indent = ''] = /^ */.exec(line) ?? [];
  const isColumn = columns !== '' && columns.length <= MAX_INDENT;
  const left = ' '.repeat(isColumn ? columns.length : indent.length);
  const lines: string[] = [];
  let current = isColumn ? columns : indent;
  for (const word of line.slice(current.length).split(' ')) {
    const isFirst = current.trim() === '' || current === columns;
    if (!isFirst && current.length + 1 + word.length > COLUMNS) {
      lines.push(current);
      current = left + word;
    } else current += isFirst ? word : ` ${word}`;
  }
  return [...lines, current];
};

/** A command that a shell takes as it stands. Options begin new lines; a text in quotes stays whole. */
const fittedCommand = (line: string): string =>
  line.split(/ (?=--)/).reduce((text, part) => {
    const last = text.slice(text.lastIndexOf('\n') + 1);
    return `${last}${part}`.length + 3 > COLUMNS ? `${text} \\\n  ${part}` : `${text} ${part}`;
  });
