import { doc } from 'prettier';
import * as markdown from 'prettier/plugins/markdown';

const { mdast } = markdown.printers;

/** @returns a row of a table, its cells as short as they are */
const rowOf = (cells) => `| ${cells.join(' | ')} |`;

/** The line below the head, with the alignment that each column has. */
const delimiterOf = (align) =>
  align === 'center' ? ':-:' : align === 'left' ? ':--' : align === 'right' ? '--:' : '---';

const printTable = (path, options, print) => {
  const textOf = () =>
    doc.printer.printDocToString(print(), { ...options, printWidth: Infinity, endOfLine: 'lf' }).formatted;
  const [head, ...rows] = path.map(() => rowOf(path.map(textOf, 'children')), 'children');
  const delimiters = path.node.children[0].children.map((_, column) => delimiterOf(path.node.align[column]));
  return doc.builders.join(doc.builders.hardline, [head, rowOf(delimiters), ...rows]);
};

/** A plugin of Prettier: tables in Markdown are not aligned, so that the change of a row is a change of one line. */
/** Prettier takes the printer of the plugin that has the parser. */
export const { parsers } = markdown;
export const printers = {
  mdast: {
    ...mdast,
    print: (path, options, print, args) =>
      path.node.type === 'table' ? printTable(path, options, print) : mdast.print(path, options, print, args),
  },
};
