import type { Message, PrismaClient } from '@expert-relay/db';

/** A message may be a megabyte. */
const pageSize = 50;

/** The messages of a request in order, each as the API lists it. */
export async function* exportMessages(
  prisma: PrismaClient,
  requestId: string,
): AsyncGenerator<Record<string, unknown>> {
  for (let seq = 0, more = true; more; ) {
    const page = await prisma.message.findMany({
      where: { requestId, seq: { gt: seq } },
      orderBy: { seq: 'asc' },
      take: pageSize,
    });
    yield* page.map(exported);
    more = page.length === pageSize;
    seq = page.at(-1)?.seq ?? seq;
  }
}

function exported(message: Message): Record<string, unknown> {
  const { requestId, messageId, seq, role, createdAt, plaintext, signature } = message;
  const { iv, ciphertext, tag, ephemeralPublicKey } = message;
  return {
    requestId,
    messageId,
    seq,
    role,
    ...(ciphertext !== null && { encrypted: { iv, ciphertext, tag, ephemeralPublicKey }, signature }),
    ...(plaintext !== null && { plaintext }),
    createdAt,
  };
}
