/** A module that sets the wall clock of its process ahead. */
export const clockAhead = (milliseconds: number): string => {
  const source = `const { now } = Date;
    globalThis.Date = class extends Date {
      constructor(...given) { super(...(given.length > 0 ? given : [Date.now()])); }
      static now() { return now() + ${milliseconds}; }
    };`;
  return `data:text/javascript,${encodeURIComponent(source)}`;
};
