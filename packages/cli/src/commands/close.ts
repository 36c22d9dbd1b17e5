import { RelayError } from '@expert-relay/sdk';
import * as z from 'zod';
import { defineCommand } from '../arguments/command.ts';
import { readRefCode } from '../arguments/read-values.ts';
import type { Context } from '../context.ts';
import { Failure } from '../failure.ts';
import { callRelay, describeProblem } from '../relay/call-relay.ts';
import { openAgent } from '../relay/open-agent.ts';
import { type Access, requireRelay } from '../relay/require-relay.ts';
import { profileOption } from '../relay/with-profile.ts';

export const close = defineCommand({
  name: 'close',
  summary: 'ends a conversation, for both sides',
  usage: ['HS-...'],
  about:
    'No more messages can be sent then; the messages so far can still be read. Either side can close, and closing twice is fine.',
  options: {
    reason: { value: 'TEXT', help: 'why, for the other side; it is not encrypted: the relay can read it' },
    profile: profileOption,
    json: { help: 'one JSON object' },
  },
  examples: ['relay close HS-7KQ2M9XD', 'relay close HS-7KQ2M9XD --reason "Fixed by a restart."'],
  words: [1, 1],
  profiles: ['agent', 'expert'],
  async run(context, { options: { reason, json }, words: [word = ''] }) {
    const { config, folder, out, signal } = context;
    const refCode = readRefCode(word);
    const access = requireRelay(config, { kind: 'consumer', folder });
    const show = (requestId: string) =>
      out.line(
        json
          ? JSON.stringify({ outcome: 'done', exit: 0, refCode, requestId, status: 'closed' })
          : `${refCode} is closed.`,
      );
    const closed = access.kind === 'consumer' ? await closeStored(context, refCode, reason) : undefined;
    if (closed !== undefined) {
      show(closed);
      return 'done';
    }
    const requestId = await findId(access, refCode, signal);
    const { status, body } = await callRelay(access, {
      method: 'POST',
      path: `/api/v1/close/${requestId}`,
      ...(reason !== undefined && { body: { reason } }),
      signal,
    });
    if (status === 409) throw expired(refCode);
    if (status !== 200) {
      const why = describeProblem(status, body) || `(${status}) Try again.`;
      throw new Failure('failed', `${refCode} could not be closed. ${why}`);
    }
    show(requestId);
    return 'done';
  },
});

async function findId(access: Access, refCode: string, signal: AbortSignal): Promise<string> {
  const path = `/api/v1/requests/by-ref/${refCode}`;
  const { status, body } = await callRelay(access, { path, signal });
  if (status === 404)
    throw new Failure(
      'unknown',
      'There is no such request, or it is not yours. Yours are listed by: relay show',
    );
  // Otherwise a lying relay could have another request closed instead.
  const schema = z.object({ requestId: z.string().regex(/^[\w-]+$/), refCode: z.literal(refCode) });
  const { data } = schema.safeParse(body);
  if (status === 200 && data) return data.requestId;
  const why = describeProblem(status, body) || 'Is RELAY_URL right?';
  throw new Failure('failed', `The relay's answer about ${refCode} is not valid (${status}). ${why}`);
}

const expired = (refCode: string) =>
  new Failure(
    'expired',
    `${refCode} has expired already, so there is nothing to close. What was said: relay show ${refCode}`,
    { details: { refCode } },
  );

/**
 * Closes with the SDK, which first stores that a later decision does not count. A command that has locked the conversation reads that
 * before it returns a decision. Undefined where this machine does not keep the conversation.
 */
async function closeStored(
  context: Context,
  refCode: string,
  reason: string | undefined,
): Promise<string | undefined> {
  const { conversations, connect, outages } = openAgent(context);
  const { signal } = context;
  const stored = await conversations.find(refCode);
  const relay = connect();
  try {
    if (!stored?.state.request) return undefined;
    const conversation = await relay.resume(stored.state, { signal });
    await conversation.close({ reason, signal });
    return conversation.requestId;
  } catch (error) {
    throw RelayError.is(error, 'expired') ? expired(refCode) : error;
  } finally {
    relay.stop();
    outages.stop();
  }
}
