/** How wide a terminal is at least. */
const COLUMNS = 80;
/** What stands to the left of a description at most. */
const MAX_INDENT = 40;

/** Help that fits a terminal: what is too long in a line goes on below its last column. */
export const helpText = (text: string): string => text.split('\n').flatMap(fitted).join('\n');

const fitted = (line: string): string[] => {
  if (line.length <= COLUMNS) return [line];
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
