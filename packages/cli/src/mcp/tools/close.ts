import { z } from 'zod';
import { describeUnsent } from '../words/describe-unsent.ts';
import { saysItIsOver } from '../words/is-over.ts';
import { knownReference, nextStep, reference, status } from './schemas.ts';
import { defineTool } from './tool.ts';

export const close = defineTool({
  name: 'close',
  title: 'Close a conversation',
  description:
    'Ends a conversation for both sides once you need nothing more from the expert. It cannot be opened again. Thank the expert with reply before, if they helped.',
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: true },
  input: { reference },
  output: { reference: knownReference, status, never_sent: z.number(), next_step: nextStep },
  patience: () => 30,
  run: ({ reference }, call) =>
    call.desk.use(reference, call, async ({ conversation }) => {
      await conversation.close({ signal: call.signal }).catch((error) => {
        if (!saysItIsOver(error)) throw error;
      });
      const { refCode, status, unsent } = conversation;
      const next = 'Nothing. Answers that came before can still be read with wait_for_answer.';
      return {
        text: [`${refCode} is ${status}.`, describeUnsent(conversation), `Next: ${next}`],
        data: { reference: refCode, status, never_sent: unsent.length, next_step: next },
      };
    }),
});
