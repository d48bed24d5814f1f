/** Midnight as PHP writes it: `2025-11-20T00:00:00+00:00`; null stays null. */
export const phpDateTime = (date: Date | null): string | null =>
  date && `${date.toISOString().slice(0, 19)}+00:00`;
