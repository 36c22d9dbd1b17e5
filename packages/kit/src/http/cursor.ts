/** The last entry of a page, of a list that is ordered by creation time and then by id. */
export interface Cursor {
  readonly createdAt: string;
  readonly id: string;
}

export const formatCursor = ({ createdAt, id }: Cursor): string =>
  Buffer.from(`${createdAt} ${id}`).toString('base64url');

/** Undefined for a text that is no cursor of ids with this pattern. */
export function parseCursor(text: string, idPattern: RegExp): Cursor | undefined {
  const [createdAt = '', id = '', ...rest] = Buffer.from(text, 'base64url').toString('latin1').split(' ');
  return isTime(createdAt) && idPattern.test(id) && rest.length === 0 ? { createdAt, id } : undefined;
}

/** Whether a text is a time as `toISOString` writes it. JavaScript accepts February 30, and Postgres does not. */
export function isTime(text: string): boolean {
  const time = /^[12]\d{3}-/.test(text) ? Date.parse(text) : Number.NaN;
  return !Number.isNaN(time) && new Date(time).toISOString() === text;
}
