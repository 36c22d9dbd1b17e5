/**
 * Where a message stands, from the subject it would be acknowledged to:
 * `$JS.ACK.<stream>.<consumer>.<deliveries>.<stream seq>.<consumer seq>.<time>.<pending>`; newer servers put two
 * names before the stream's.
 */
export function placeOf(reply: string): { streamSeq: number; consumerSeq: number } {
  const tokens = reply.split('.');
  const at = tokens.length === 9 ? 5 : 7;
  return { streamSeq: Number(tokens[at]), consumerSeq: Number(tokens[at + 1]) };
}
