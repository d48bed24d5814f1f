/** The cells of a row without line breaks in them. */
export const cellsOf = (row: string): string[] => {
  const cells: string[] = [];
  // With a comma before each cell: the empty text before the first cell would be a match of its own.
  for (const [, quoted, plain] of `,${row}`.matchAll(/,(?:"((?:[^"]|"")*)"|([^,]*))/g)) {
    cells.push(quoted?.replaceAll('""', '"') ?? plain ?? '');
  }
  return cells;
};
