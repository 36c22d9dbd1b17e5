/** That answers wait which are not given by themselves; nothing when there are none. */
export function describeEarly(count: number): string | undefined {
  if (count === 0) return undefined;
  const what = count === 1 ? 'One answer was' : `${count} answers were`;
  return `${what} written before your last message was read, and may not answer it: wait_for_answer with any: true gives it.`;
}
