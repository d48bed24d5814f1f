/** What spreadsheets put between the cells of a row. */
export const DELIMITERS = [',', ';', '\t'] as const;
export type Delimiter = (typeof DELIMITERS)[number];

const CELLS: Readonly<Record<Delimiter, RegExp>> = {
  ',': /,(?:"((?:[^"]|"")*)"|([^,]*))/g,
  ';': /;(?:"((?:[^"]|"")*)"|([^;]*))/g,
  '\t': /\t(?:"((?:[^"]|"")*)"|([^\t]*))/g,
};

/** The cells of a row without line breaks in them. */
export const cellsOf = (row: string, delimiter: Delimiter = ','): string[] => {
  const cells: string[] = [];
  // With a delimiter before each cell: the empty text before the first cell would be a match of its own.
  for (const [, quoted, plain] of `${delimiter}${row}`.matchAll(CELLS[delimiter])) {
    cells.push(quoted?.replaceAll('""', '"') ?? plain ?? '');
  }
  return cells;
};
