/** Parsers with a defect behind conditions that only a search led by coverage meets in time. */
export const findsWord = (text: string): void => {
  if (text.charAt(0) === 'f')
    if (text.charAt(1) === 'u') if (text.charAt(2) === 'z') throw new Error('found');
};

export const endsNever = (text: string): void => {
  while (text.includes('!!'));
};

export const takesSquareTime = (text: string): number => {
  let pairs = 0;
  for (const one of text) for (const other of text) if (one === other) pairs += 1;
  return pairs;
};
