import { readFileSync } from 'node:fs';

/** An item of such a list: names, in brackets a default or a status, and what they mean. */
const ITEM = /^- ((?:`[^`]+`(?:, )?)+)(?: \((.*?)\))?: (.*)$/;
const withoutMarks = (text = ''): string => text.trim().replaceAll('`', '');

/**
 * Rows of the Markdown table or of the list of names under a heading, so that a test can compare a document with the code that it
 * describes.
 * @param file path of the Markdown file
 * @param heading text of the heading, without the leading `#`
 * @returns one array of cell texts a row, without the header row; code marks removed
 */
export const readmeTable = (file: string, heading: string): string[][] => {
  const lines = readFileSync(file, 'utf8').split('\n');
  const start = lines.findIndex((line) => /^#+ /.test(line) && line.replace(/^#+ /, '').trim() === heading);
  if (start < 0) throw new Error(`${file} has no heading "${heading}"`);
  const first = lines.findIndex((line, index) => index > start && (line.startsWith('|') || ITEM.test(line)));
  const rows: string[][] = [];
  if (lines[first]?.startsWith('- ')) {
    for (let index = first; ITEM.test(lines[index] ?? ''); index += 1) {
      rows.push(ITEM.exec(lines[index]!)!.slice(1).map(withoutMarks));
    }
    return rows;
  }
  for (let index = first + 2; lines[index]?.startsWith('|'); index += 1) {
    const cells = (lines[index] as string).split(/(?<!\\)\|/).slice(1, -1);
    rows.push(cells.map((cell) => withoutMarks(cell).replaceAll('\\|', '|')));
  }
  return rows;
};
