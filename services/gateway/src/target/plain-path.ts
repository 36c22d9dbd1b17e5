// Every segment but `.well-known` begins with something else than a dot: no dot segments, no hidden files.
const plain = /^(?=\/)(?:\/\.well-known(?=\/))?(?:\/[\w\-~!$&'()*+,=:@%][\w\-~!$&'()*+,=:@%.]*)*\/?$/;
// Not two hexadecimal digits, or what would change the path's shape for one who decodes it: control
// characters, `%`, `.`, `/`, `\`.
const badEscape = /%(?![0-9a-f]{2})|%(?:[01][0-9a-f]|2[5ef]|5c|7f)/i;

/**
 * The path of a request's target if it is written in the one form that everybody reads alike. The
 * target is matched and forwarded as it came, so nothing may be written in two ways.
 */
export function plainPath(target: string): string | undefined {
  const query = target.indexOf('?');
  const path = query < 0 ? target : target.slice(0, query);
  if (!plain.test(path) || target.includes('#')) return undefined;
  return path.includes('%') && !decodes(path) ? undefined : path;
}

function decodes(path: string): boolean {
  if (badEscape.test(path)) return false;
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}
