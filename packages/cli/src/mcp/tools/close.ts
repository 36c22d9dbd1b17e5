import * as z from 'zod';
import { isEndError } from '../../relay/request-state.ts';
import { describeUnsent } from './sentences.ts';
import { defineTool, knownReference, nextStep, reference, status } from './tool.ts';

export const close = defineTool({
  name: 'close',
  title: 'Close a conversation',
  description:
    'Ends a conversation for both sides once you need nothing more from the expert. It cannot be opened again. Thank the expert with reply before, if they helped.',
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: true },
  input: {
    reference,
    reason: z
      .string()
      .min(1)
      .max(500)
      .optional()
      .describe('Why, for the expert. It is not encrypted: the relay can read it.'),
  },
  output: { reference: knownReference, status, never_sent: z.number(), next_step: nextStep },
  maxSeconds: () => 30,
  run: ({ reference, reason }, call) =>
    call.pool.use(reference, call, async ({ conversation }) => {
      await conversation.close({ reason, signal: call.signal }).catch((error) => {
        if (!isEndError(error)) throw error;
      });
      const { refCode, status, unsent } = conversation;
      const next = 'Nothing. Answers that came before can still be read with wait_for_answer.';
      return {
        text: [`${refCode} is ${status}.`, describeUnsent(conversation), `Next: ${next}`],
        data: { reference: refCode, status, never_sent: unsent.length, next_step: next },
      };
    }),
});
