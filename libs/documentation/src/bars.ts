import type { MarkdownRenderer } from 'vitepress';

type Token = ReturnType<MarkdownRenderer['parse']>[number];

/** Columns of a benchmark that are compared by eye. */
const COMPARED = /\/s$|^p99$/;

/** Gives each figure of a benchmark a bar behind it: `--bar` is its share of the greatest in its column. */
export const addBars = (tokens: readonly Token[]): void => {
  let headers: string[] = [];
  let figures: { readonly cell: Token; readonly column: number; readonly value: number }[] = [];
  let column = 0;
  for (const [index, token] of tokens.entries()) {
    const text = tokens[index + 1]?.content ?? '';
    if (token.type === 'table_open') [headers, figures] = [[], []];
    else if (token.type === 'tr_open') column = 0;
    else if (token.type === 'th_open') headers.push(text);
    else if (token.type === 'td_open') {
      const value = Number.parseFloat(text.replaceAll(',', ''));
      if (COMPARED.test(headers[column] ?? '') && value > 0) figures.push({ cell: token, column, value });
      column += 1;
    } else if (token.type === 'table_close') {
      for (const one of figures) {
        const greatest = Math.max(
          ...figures.filter((other) => other.column === one.column).map(({ value }) => value),
        );
        one.cell.attrJoin('style', `;--bar:${(one.value / greatest).toFixed(3)}`);
      }
    }
  }
};
