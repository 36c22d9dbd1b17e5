/**
 * Where a message stands, from the subject it would be acknowledged to: `$JS.ACK.` some names, of which the
 * consumer's is the last, and `.<deliveries>.<stream seq>.<consumer seq>.<time>.<pending>`.
 */
export function placeOf(reply: string, consumer: string): { streamSeq: number; consumerSeq: number } {
  const deliveries = reply.indexOf(consumer) + consumer.length + 1;
  const stream = reply.indexOf('.', deliveries) + 1;
  const own = reply.indexOf('.', stream) + 1;
  return {
    streamSeq: Number(reply.slice(stream, own - 1)),
    consumerSeq: Number(reply.slice(own, reply.indexOf('.', own))),
  };
}
