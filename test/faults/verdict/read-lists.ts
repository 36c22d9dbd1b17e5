import { type ClientOptions, createClient } from '../load/client.ts';
import type { Ledger } from '../load/ledger.ts';
import type { Stage } from '../stage/stage.ts';
import type { Listed } from './judge-ledger.ts';

const patience = 30_000;

/** What the list of messages says of each conversation, by request. */
export async function readLists(
  { gatewayUrl, user }: Pick<Stage, 'gatewayUrl' | 'user'>,
  { conversations }: Pick<Ledger, 'conversations'>,
  options: ClientOptions = {},
): Promise<ReadonlyMap<string, Listed | undefined>> {
  const client = createClient(gatewayUrl, AbortSignal.timeout(patience), options);
  const lists = new Map<string, Listed | undefined>();
  try {
    for (const { requestId } of conversations) {
      const path = `/api/v1/messages/${requestId}`;
      const headers = { 'x-api-key': user.providerKey };
      const answer = await client.call({ method: 'GET', path, headers });
      lists.set(requestId, answer?.status === 200 ? (answer.json as Listed) : undefined);
    }
    return lists;
  } finally {
    client.close();
  }
}
