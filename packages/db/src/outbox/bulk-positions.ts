/**
 * Where the positions of what is told in bulk begin, behind all others (`insertEvent`). Positions are drawn
 * one by one, so the others never come this far; and up to twice as far numbers are exact.
 */
export const bulkPositions = 2 ** 52;
