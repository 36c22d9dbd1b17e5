/** Statements whose text varies (lists of any length) must not fill the server's memory. */
const mostNames = 500;

/**
 * Names statements by their text, so that Postgres parses and plans each once per connection: measured, a
 * fifth more submits per second. A pooler in transaction mode may not know such names; an address that
 * says `?pgbouncer=true`, as is usual with Prisma, goes without.
 */
export function statementNames(url: string): (text: string) => string {
  const unnamed = '';
  if (/[?&]pgbouncer=true(&|$)/.test(url)) return () => unnamed;
  const names = new Map<string, string>();
  return (text) => {
    const known = names.get(text);
    if (known !== undefined) return known;
    if (names.size >= mostNames) return unnamed;
    const name = `relay_${names.size}`;
    names.set(text, name);
    return name;
  };
}
