/** That something confidential waits here; empty when nothing does. */
export function describeUnsent(unsent: readonly string[]): string {
  if (unsent.length === 0) return '';
  const what =
    unsent.length === 1 ? 'What was confidential has' : `${unsent.length} confidential messages have`;
  return `${what} NOT gone out yet: that happens, encrypted, once the expert has picked the request up and a relay command waits in this conversation.`;
}
