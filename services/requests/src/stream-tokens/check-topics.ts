import {
  formatTopic,
  parseTopic,
  type StreamTokenCredential,
  topicsNotCovered,
} from '@expert-relay/contracts';
import { ownedBy, type Party, type Query } from '@expert-relay/db';
import { listOf } from '@expert-relay/kit/http';
import { Problem } from '@expert-relay/kit/problem';
import * as z from 'zod';

export function credentialOf(party: Party): StreamTokenCredential {
  if (party.kind === 'session') return { kind: party.kind, id: party.sessionId, begunAt: party.begunAt };
  const { kind, apiKeyId: id, secret } = party;
  return { kind, id, secret };
}

/** The topics of an expert, in addition to those of the requests. */
export const ownTopics = (userId: string): string[] => [
  formatTopic({ kind: 'provider', userId }),
  formatTopic({ kind: 'activity', userId }),
];

/**
 * Throws unless the caller may read each topic: those of its own requests, and for an expert those of the user. Unknown
 * topics and topics of others get the same response.
 */
export async function checkTopics(query: Query, party: Party, topics: readonly string[]): Promise<void> {
  const parsed = topics.map(parseTopic);
  const ids = new Set<string>();
  for (const topic of parsed) {
    if (topic?.kind === 'request') ids.add(topic.requestId);
    else if (!topic || party.kind === 'consumer' || topic.userId !== party.userId) throw notCovered();
  }
  if (ids.size === 0) return;
  const [row] = await query<{ count: number }>`
    SELECT count(*)::int AS count FROM help_requests
    WHERE id = ANY(${[...ids]}::text[]) AND ${ownedBy(party)}`;
  if (row?.count !== ids.size) throw notCovered();
}

const notCovered = () => new Problem('forbidden', { detail: topicsNotCovered });

export const topicsSchema = listOf(z.string({ error: 'Expected a topic as text.' }), {
  least: 1,
  most: 100,
  error: 'Expected a list of 1 to 100 topics such as /svc/requests/{requestId}.',
});
