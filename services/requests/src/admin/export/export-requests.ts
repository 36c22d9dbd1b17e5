import { formatRefCode, type HelpRequest, type PrismaClient, statusNow } from '@expert-relay/db';

type ExportedRequest = Omit<HelpRequest, 'id' | 'userId' | 'callId' | 'seq' | 'contentBytes'> & {
  requestId: string;
};

/** A request may be a megabyte. */
const pageSize = 20;

/** The requests of a user, oldest first. */
export async function* exportRequests(prisma: PrismaClient, userId: string): AsyncGenerator<ExportedRequest> {
  let last: Pick<ExportedRequest, 'requestId' | 'createdAt'> | undefined = {
    requestId: '',
    createdAt: new Date(0),
  };
  while (last) {
    const page: ExportedRequest[] = await prisma.$queryRaw<ExportedRequest[]>`
      SELECT id AS "requestId", ref_code AS "refCode", ${statusNow} AS status,
        consumer_key_id AS "consumerKeyId", response_count AS "responseCount",
        message_count AS "messageCount", created_at AS "createdAt", expires_at AS "expiresAt",
        ended_at AS "endedAt", erased_at AS "erasedAt", question, plaintext, context,
        consumer_sign_pub_key AS "consumerSignPubKey", consumer_encrypt_pub_key AS "consumerEncryptPubKey",
        provider_sign_pub_key AS "providerSignPubKey", provider_encrypt_pub_key AS "providerEncryptPubKey",
        key_signature AS "keySignature"
      FROM help_requests
      WHERE user_id = ${userId}::uuid AND (created_at, id) > (${last.createdAt}, ${last.requestId})
      ORDER BY created_at, id LIMIT ${pageSize}`;
    for (const request of page) yield { ...request, refCode: formatRefCode(request.refCode) };
    last = page.length === pageSize ? page.at(-1) : undefined;
  }
}
