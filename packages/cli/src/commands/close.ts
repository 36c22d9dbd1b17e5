import { defineCommand } from '../arguments/command.ts';
import { readRefCode } from '../arguments/read-values.ts';
import { Failure } from '../failure.ts';
import { callRelay, describeProblem } from '../relay/call-relay.ts';
import { findRequest } from '../relay/read-requests.ts';
import { requireRelay } from '../relay/require-relay.ts';

export const close = defineCommand({
  name: 'close',
  summary: 'ends a conversation, for both sides',
  usage: ['HS-...'],
  about:
    'No more messages can be sent then; the messages so far can still be read. Either side can close, and closing twice is fine.',
  options: {
    reason: { value: 'TEXT', help: 'why, for the other side; it is not encrypted: the relay can read it' },
    json: { help: 'one JSON object' },
  },
  examples: ['relay close HS-7KQ2M9XD', 'relay close HS-7KQ2M9XD --reason "Fixed by a restart."'],
  words: [1, 1],
  async run({ config, folder, out, signal }, { options: { reason, json }, words: [word = ''] }) {
    const refCode = readRefCode(word);
    const access = requireRelay(config, { kind: 'consumer', folder });
    const { requestId } = await findRequest(access, refCode, signal);
    const { status, body } = await callRelay(access, {
      method: 'POST',
      path: `/api/v1/close/${requestId}`,
      ...(reason !== undefined && { body: { reason } }),
      signal,
    });
    if (status === 409)
      throw new Failure(
        'expired',
        `${refCode} has expired already, so there is nothing to close. What was said: relay show ${refCode}`,
        { details: { refCode } },
      );
    if (status !== 200) {
      const why = describeProblem(status, body) || `(${status}) Try again.`;
      throw new Failure('failed', `${refCode} could not be closed. ${why}`);
    }
    out.line(
      json
        ? JSON.stringify({ outcome: 'done', exit: 0, refCode, requestId, status: 'closed' })
        : `${refCode} is closed.`,
    );
    return 'done';
  },
});
