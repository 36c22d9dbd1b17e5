import type { ContentOf } from '../forms/content-of.ts';
import { invalidInput } from '../relay-error.ts';
import { inTime, orAbort } from '../transport/waiting.ts';
import { type Asker, askClosable, type ClosableQuestion } from './closable-question.ts';
import type { Conversation } from './conversation.ts';
import type { Decision } from './decision.ts';
import { checkValidFor } from './decision-age.ts';
import type { FormOrSchema } from './question.ts';
import type { Approval, AskingOptions, Choice } from './relay.ts';
import { throwIfLate } from './wait-for-decision.ts';

/** Closing is optional: its failure must not hide the decision, nor go on for longer. */
const closingMs = 10_000;
/** The caller waits for it at most this long. */
const closingDelaysMs = 2_000;

export async function approve(
  client: Asker,
  question: string,
  options: AskingOptions = {},
): Promise<Approval> {
  const { decision, conversation } = await askAndWait(client, question, options, approvalForm);
  const { action, content, ...decided } = decision;
  return { approved: action === 'accept', ...decided, conversation };
}

const approvalForm = { type: 'object', properties: {} } as const;

export async function choose<V extends string>(
  client: Asker,
  question: string,
  options: readonly (V | { readonly value: V; readonly title: string })[],
  asking: AskingOptions = {},
): Promise<Choice<V>> {
  const titled = options.map((one) => (typeof one === 'string' ? { value: one, title: one } : one));
  const oneOf = titled.map(({ value, title }) => ({ const: value, title }));
  const choice = { type: 'string', title: 'Choice', oneOf } as const;
  const form = { type: 'object', properties: { choice }, required: ['choice'] } as const;
  const { decision, conversation } = await askAndWait(client, question, asking, form);
  const { action, content, ...decided } = decision;
  return action === 'accept'
    ? { declined: false, value: content.choice as V, ...decided, conversation }
    : { declined: true, value: undefined, ...decided, conversation };
}

async function askAndWait<const F extends FormOrSchema>(
  client: Asker,
  question: string,
  options: AskingOptions,
  form: F,
): Promise<{ decision: Decision<ContentOf<F>>; conversation: Conversation<ContentOf<F>> }> {
  const { timeoutMs, onReply, validForMs, keepOpen, signal, ...asking } = options;
  // `ask` refuses other names.
  if ('question' in asking || 'form' in asking)
    throw invalidInput(
      'There is no option `question` or `form` here: the question is the first argument, and `ask` takes forms.',
    );
  checkValidFor(validForMs);
  const startedAt = Date.now();
  let asked: ClosableQuestion<ContentOf<F>> | undefined;
  try {
    return await inTime(timeoutMs, signal, async (own) => {
      asked = askClosable(client, { ...asking, question, form, signal: own });
      const conversation = await asked.conversation;
      const decision = await conversation.waitForDecision({ onReply, validForMs, signal: own });
      throwIfLate(startedAt, timeoutMs);
      return { conversation, decision };
    });
  } finally {
    // A later run continues a question with a name.
    if (keepOpen || asking.once !== undefined) asked?.leaveOpen();
    else {
      const closing = inTime(closingMs, undefined, async (own) => asked?.close({ signal: own }));
      await inTime(closingDelaysMs, undefined, (own) => orAbort(own, closing)).catch(() => {});
    }
  }
}
