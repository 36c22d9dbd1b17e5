import { fromBase64 } from '../crypto/base64.ts';
import type { Bytes } from '../crypto/bytes.ts';
import { openChannel } from '../crypto/channel.ts';
import type { ExpertKeys } from '../crypto/expert-keys.ts';
import type { MessageRecord } from '../crypto/message.ts';
import { isRefusal } from '../crypto/refusal.ts';
import type { Head } from '../thread/page.ts';
import { type FirstVersion, parsePair } from './request-memory.ts';

/**
 * What the agent has written since the last answer, for a preview in a list. It is decrypted and its signature is checked, but not its
 * place in the conversation: reading the request checks that. Undefined if nothing can be read here.
 */
export async function readNewestText(
  { requestId, keySignature, providerKeys, newestMessage: record }: Head,
  first: FirstVersion,
  keys: ExpertKeys | undefined,
): Promise<string | undefined> {
  if (record?.role !== 'consumer') return undefined;
  if (!first.keys) return typeof record.plaintext === 'string' ? record.plaintext : undefined;
  if (!keys || !providerKeys) return undefined;
  try {
    const channel = await openChannel({
      requestId,
      role: 'provider',
      own: await keys.keysFor(requestId),
      peer: parsePair(first.keys),
      submission: fromBase64(first.submission) as Bytes,
      keySignature,
    });
    return (await channel.peek(record as unknown as MessageRecord)).text || undefined;
  } catch (error) {
    if (isRefusal(error)) return undefined;
    throw error;
  }
}
