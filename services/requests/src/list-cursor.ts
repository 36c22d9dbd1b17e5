/** Where a page ended: requests are ordered by creation and, within one millisecond, by id. */
export interface Cursor {
  createdAt: string;
  id: string;
}

export const formatCursor = ({ createdAt, id }: { createdAt: Date; id: string }): string =>
  Buffer.from(`${createdAt.toISOString()} ${id}`).toString('base64url');

export function parseCursor(text: string): Cursor | undefined {
  const [createdAt = '', id = '', ...rest] = Buffer.from(text, 'base64url').toString('latin1').split(' ');
  const isTime =
    /^[12]\d{3}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(createdAt) && !Number.isNaN(Date.parse(createdAt));
  return isTime && /^[A-Za-z0-9_-]{22}$/.test(id) && rest.length === 0 ? { createdAt, id } : undefined;
}
