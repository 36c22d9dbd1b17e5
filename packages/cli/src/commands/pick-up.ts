import { RelayError } from '@expert-relay/sdk';
import { defineCommand } from '../arguments/command.ts';
import { readDuration, readRefCode } from '../arguments/read-values.ts';
import { Failure } from '../failure.ts';
import { showConversation } from '../messages/conversation-view.ts';
import { requireShown } from '../messages/require-shown.ts';
import { viewOf } from '../messages/view-as-expert.ts';
import { connectExpert } from '../relay/connect-expert.ts';
import { markWritten } from '../relay/mark-written.ts';
import { requireOpen } from '../relay/request-state.ts';

export const pickUp = defineCommand({
  name: 'pickup',
  summary: 'exchanges keys, so that a confidential question is sent',
  usage: ['HS-... [options]'],
  about:
    'An agent that asks confidentially sends its question only once an expert has picked the request up. Once `relay show` has shown the request, this command picks it up, waits for what the agent has announced, and shows the conversation. `relay answer` picks up other requests automatically.',
  options: {
    wait: {
      value: 'TIME',
      help: 'how long to wait for what the agent has announced, such as 90s; 30s by default',
    },
  },
  examples: ['relay pickup HS-7KQ2M9XD'],
  words: [1, 1],
  profiles: ['expert'],
  async run(context, { options: { wait = '30s' }, words: [word = ''] }) {
    const startedAt = context.now();
    const refCode = readRefCode(word);
    const partsMs = readDuration('--wait', wait);
    const { expert, outages, hasKeys } = await connectExpert(context, {
      instead: 'Agents need not pick up anything.',
      partsMs,
    });
    const { signal } = context;
    try {
      if (!hasKeys)
        throw new Failure(
          'state',
          'This machine has no keys to exchange. Make them: relay keys make. Or bring them here: relay keys restore',
        );
      const request = await expert.request(refCode, { signal });
      // It throws what the request is refused for.
      if (request.refused) await request.refresh({ signal });
      if (!request.encrypted)
        throw new Failure(
          'usage',
          `${refCode} was asked in plain text: there are no keys to exchange. Answer it: relay answer ${refCode} "..."`,
        );
      if (!request.isPickedUp) {
        requireOpen(request);
        await requireShown(context, { expert, request, startedAt, next: 'pick it up' });
      }
      await request.pickUp({ signal });
      await request.receive({ signal }).catch((error: unknown) => {
        if (!RelayError.is(error, 'parts_missing')) throw error;
      });
      const view = await viewOf(await expert.request(refCode, { signal }), signal);
      showConversation(context, view, 'expert');
      await markWritten(context, expert, view);
      if (view.refused) throw view.refused;
      if (request.missingParts)
        context.err.paragraph(`\nThere is no message of the agent yet. Look again: relay show ${refCode}`);
      return 'done';
    } finally {
      outages.stop();
      expert.stop();
    }
  },
});
