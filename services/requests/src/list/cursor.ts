/** The last request of a page: requests are ordered by creation time, and then by id. */
export interface Cursor {
  createdAt: string;
  id: string;
}

export const formatCursor = ({ createdAt, id }: Cursor): string =>
  Buffer.from(`${createdAt} ${id}`).toString('base64url');

export function parseCursor(text: string): Cursor | undefined {
  const [createdAt = '', id = '', ...rest] = Buffer.from(text, 'base64url').toString('latin1').split(' ');
  return isTime(createdAt) && /^[A-Za-z0-9_-]{22}$/.test(id) && rest.length === 0
    ? { createdAt, id }
    : undefined;
}

/** Whether a text is a time as `toISOString` writes it. JavaScript accepts February 30, and Postgres does not. */
export function isTime(text: string): boolean {
  const time = /^[12]\d{3}-/.test(text) ? Date.parse(text) : Number.NaN;
  return !Number.isNaN(time) && new Date(time).toISOString() === text;
}
