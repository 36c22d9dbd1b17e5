import { hasEnded } from '@expert-relay/sdk/internal';
import * as z from 'zod';
import { contextInput, readContext } from './context.ts';
import { attachInput, readAttachments } from './files.ts';
import { formInput, readForm } from './form.ts';
import { describeUnsent } from './sentences.ts';
import { defineTool } from './tool.ts';

export const askExpert = defineTool({
  name: 'ask_expert',
  title: 'Ask a human expert',
  description: `Asks a person when you are stuck, unsure about something risky, or need a decision or knowledge that only a person has. Returns a reference at once; get the answer with wait_for_answer, which takes minutes to hours.
Ask one clear question that stands alone: what you want to do, what you tried, what happens, what you would do next. The expert sees only what you send.
For a decision (may I, which one, how many) give a form: then you get accepted or declined, with values, and no text to interpret.
The relay's operator can read question, context and form, unless confidential is true; the rest is end-to-end encrypted. Never send passwords or keys.`,
  annotations: { destructiveHint: false },
  input: {
    question: z.string().trim().min(1).max(100_000).describe('In full sentences.'),
    context: contextInput,
    form: formInput,
    attach: attachInput,
    confidential: z
      .boolean()
      .optional()
      .describe(
        "Hides question, context and form from the relay: they are sent encrypted after the pick-up. The expert's client must encrypt.",
      ),
    expires_in_seconds: z
      .number()
      .int()
      .min(60)
      .optional()
      .describe('When the question is of no use any more. By default it is open for three days.'),
    tags: z
      .array(z.string().min(1).max(40))
      .max(10)
      .optional()
      .describe('Words by which the expert sorts requests, such as the project. The relay can read them.'),
    idempotency_key: z
      .string()
      .min(1)
      .max(255)
      .optional()
      .describe(
        'Your name for this question. The same one again never asks twice: you get the same reference.',
      ),
  },
  maxSeconds: () => 30,
  run({ question, confidential = false, idempotency_key: once, ...given }, call) {
    const form = readForm(given.form);
    const messages = readContext(given.context, call);
    const files = readAttachments(given.attach, call);
    const { expires_in_seconds: lifetime, tags } = given;
    const expiresInMs = lifetime === undefined ? undefined : lifetime * 1_000;
    const asked = { question, messages, form, files, confidential, expiresInMs, tags, once };
    return call.pool.ask(asked, call, ({ conversation }, isRepeated) => {
      const { refCode, status, expiresAt, unsent } = conversation;
      const waitFor = form === undefined ? 'the answer' : 'the decision';
      return {
        text: [
          isRepeated
            ? `${refCode} is this question. It was asked before, and is not asked again.`
            : `Asked as ${refCode}. The expert was notified.`,
          hasEnded({ status }) ? `It is ${status}.` : `It stays open until ${expiresAt}.`,
          describeUnsent(conversation),
          `Next: Call wait_for_answer with the reference ${refCode}. You may do other work before, as long as it does not depend on ${waitFor}.`,
        ],
        data: { reference: refCode, status, unsent: unsent.length },
      };
    });
  },
});
