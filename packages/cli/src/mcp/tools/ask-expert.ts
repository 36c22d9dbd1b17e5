import { hasEnded } from '@expert-relay/sdk/internal';
import * as z from 'zod';
import { contextInput, readContext } from './context.ts';
import { attachInput, readAttachments } from './files.ts';
import { formInput, readForm } from './form.ts';
import { describeUnsent } from './sentences.ts';
import { defineTool, knownReference, nextStep, status, unsent } from './tool.ts';

export const askExpert = defineTool({
  name: 'ask_expert',
  title: 'Ask a human expert',
  description: `Asks a human expert when you are stuck, unsure about something risky, or need a decision or knowledge that only a person has. Returns at once with a reference; the answer takes minutes to hours. Get it with wait_for_answer.
Ask one clear question that can be understood without this conversation: say what you want to do, what you tried, what happens, and what you would do next. The expert sees only what you send.
Where you need a decision (may I do it, which one, how many), give a form: then you get accepted or declined, with values, and no text to interpret.
The conversation is end-to-end encrypted, but the question, its context and its form can be read by the relay's operator, unless confidential is true. Never send passwords, keys or other secrets.`,
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
  input: {
    question: z.string().trim().min(1).max(100_000).describe('What you need to know, in full sentences.'),
    context: contextInput,
    form: formInput,
    attach: attachInput,
    confidential: z
      .boolean()
      .optional()
      .describe(
        'True hides question, context and form from the relay too: they are sent encrypted once the expert has picked the request up. This needs an expert whose tools encrypt, such as the SDK or the command line.',
      ),
    expires_in_seconds: z
      .number()
      .int()
      .min(60)
      .optional()
      .describe(
        'When the question is of no use any more, in seconds from now. By default it stays open for three days.',
      ),
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
        'A name of your choice for this question. Calling again with the same one never asks twice: it gives the same reference.',
      ),
  },
  output: { reference: knownReference, status, expires_at: z.string(), unsent, next_step: nextStep },
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
      const next = `Call wait_for_answer with the reference ${refCode}. You may do other work before, as long as it does not depend on ${waitFor}.`;
      const unsentText = describeUnsent(conversation);
      return {
        text: [
          isRepeated
            ? `${refCode} is this question. It was asked before, and is not asked again.`
            : `Asked as ${refCode}. The expert was notified.`,
          hasEnded({ status }) ? `It is ${status}.` : `It stays open until ${expiresAt}.`,
          unsentText,
          `Next: ${next}`,
        ],
        data: {
          reference: refCode,
          status,
          expires_at: expiresAt,
          unsent: unsent.length,
          next_step: unsentText ? `${unsentText} ${next}` : next,
        },
      };
    });
  },
});
