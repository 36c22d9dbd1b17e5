import { hasEnded } from '@expert-relay/sdk/internal';
import * as z from 'zod';
import { Failure } from '../../failure.ts';
import { laterAttachInput, readAttachments } from './files.ts';
import { laterFormInput, readForm } from './form.ts';
import { describeUnsent } from './sentences.ts';
import { defineTool, reference } from './tool.ts';

export const reply = defineTool({
  name: 'reply',
  title: 'Reply to the expert',
  description:
    'Sends the expert a message, end-to-end encrypted: to answer a question of theirs, or to ask back. A form replaces the one before. Read what they say to it with wait_for_answer.',
  annotations: { destructiveHint: false },
  input: {
    reference,
    text: z.string().min(1).max(700_000).describe('No passwords or keys.'),
    form: laterFormInput,
    form_again: z
      .boolean()
      .optional()
      .describe('Sends your newest form again, after decisions that contradict each other: say so in text.'),
    attach: laterAttachInput,
  },
  maxSeconds: () => 30,
  run({ reference, text, form, attach, form_again: again = false }, call) {
    if (again && form) throw new Failure('usage', 'form_again sends the newest form: leave out form.');
    const message = { text, form: readForm(form), files: readAttachments(attach, call), again };
    return call.pool.use(reference, call, async (leased) => {
      const isSent = await leased.reply(message, call.signal);
      const { conversation } = leased;
      if (!isSent && hasEnded(conversation)) throw tooLate(conversation);
      const { refCode, status, unsent, isEncrypted } = conversation;
      const news = isSent
        ? `Sent to the expert of ${refCode}, ${isEncrypted ? 'encrypted' : 'as plain text, which the relay can read'}.`
        : describeUnsent(conversation);
      return {
        text: [news, `Next: Call wait_for_answer with ${refCode} for what the expert says to it.`],
        data: { reference: refCode, status, sent: isSent, unsent: unsent.length },
      };
    });
  },
});

function tooLate({ refCode, status }: { refCode: string; status: 'closed' | 'expired' }): Failure {
  return new Failure(status, `${refCode} is ${status}: the message was not sent.`);
}
