import * as z from 'zod';
import { isEndError } from '../../relay/request-state.ts';
import { describeUnsent } from './sentences.ts';
import { defineTool, reference } from './tool.ts';

export const close = defineTool({
  name: 'close',
  title: 'Close a conversation',
  description:
    'Ends a conversation for both sides, for good, once you need nothing more from the expert. You need not thank them before.',
  annotations: { idempotentHint: true },
  input: {
    reference,
    reason: z
      .string()
      .min(1)
      .max(500)
      .optional()
      .describe('For the expert, such as what came of it. The relay can read it.'),
  },
  maxSeconds: () => 30,
  run: ({ reference, reason }, call) =>
    call.pool.use(reference, call, async ({ conversation }) => {
      await conversation.close({ reason, signal: call.signal }).catch((error) => {
        if (!isEndError(error)) throw error;
      });
      const { refCode, status } = conversation;
      return {
        text: [
          `${refCode} is ${status}.`,
          describeUnsent(conversation),
          'Answers that came before can still be read with wait_for_answer.',
        ],
        data: { reference: refCode, status, unsent: conversation.unsent.length },
      };
    }),
});
