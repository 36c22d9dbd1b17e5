const allowed = new Set(['http:', 'https:', 'mailto:']);
/** A longer address is no link. */
const maxLength = 2_000;

/**
 * Accepts absolute addresses of pages and mailboxes as links. The address stands in the text as it is, so that it is one only if
 * it leads where it says: not with a host behind other names, or one that the browser reads as another one.
 */
export function readAddress(address: string): string | undefined {
  if (address.length > maxLength || !/^[\x21-\x7e]+$/.test(address) || address.includes('\\'))
    return undefined;
  // Without a base, since a relative address would lead into this app.
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (!url || !allowed.has(url.protocol) || url.username || url.password) return undefined;
  const start = url.protocol === 'mailto:' ? 'mailto:' : `${url.protocol}//${url.hostname}`;
  return address.toLowerCase().startsWith(start) ? url.href : undefined;
}
