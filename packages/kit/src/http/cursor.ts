/** The last entry of a page, of a list that is ordered by a time and then by id. */
export interface Cursor {
  readonly at: string;
  readonly id: string;
}

export const formatCursor = ({ at, id }: Cursor): string => Buffer.from(`${at} ${id}`).toString('base64url');

/** Undefined for a text that is no cursor of ids with this pattern. */
export function parseCursor(text: string, idPattern: RegExp): Cursor | undefined {
  const [at = '', id = '', ...rest] = Buffer.from(text, 'base64url').toString('latin1').split(' ');
  return isTime(at) && idPattern.test(id) && rest.length === 0 ? { at, id } : undefined;
}

/** Whether a text is a time as `toISOString` writes it. JavaScript accepts February 30, and Postgres does not. */
export function isTime(text: string): boolean {
  const time = /^[12]\d{3}-/.test(text) ? Date.parse(text) : Number.NaN;
  return !Number.isNaN(time) && new Date(time).toISOString() === text;
}
