import type { ContentOf } from '../forms/index.ts';
import { invalidInput } from '../relay-error.ts';
import type { Conversation } from './conversation.ts';
import type { Decision } from './decision.ts';
import type { FormOrSchema } from './question.ts';
import type { Approval, AskingOptions, Choice, Relay } from './relay.ts';

/** Closing is optional: its failure must not hide the decision, nor delay it for longer. */
const closingMs = 10_000;

export async function approve(
  ask: Relay['ask'],
  question: string,
  options: AskingOptions,
): Promise<Approval> {
  const { decision, conversation } = await askAndWait(ask, question, options, approvalForm);
  const { action, content, ...decided } = decision;
  return { approved: action === 'accept', ...decided, conversation };
}

const approvalForm = { type: 'object', properties: {} } as const;

export async function choose<V extends string>(
  ask: Relay['ask'],
  question: string,
  options: readonly (V | { readonly value: V; readonly title: string })[],
  asking: AskingOptions,
): Promise<Choice<V>> {
  const titled = options.map((one) => (typeof one === 'string' ? { value: one, title: one } : one));
  const oneOf = titled.map(({ value, title }) => ({ const: value, title }));
  const choice = { type: 'string', title: 'Choice', oneOf } as const;
  const form = { type: 'object', properties: { choice }, required: ['choice'] } as const;
  const { decision, conversation } = await askAndWait(ask, question, asking, form);
  const { action, content, ...decided } = decision;
  return action === 'accept'
    ? { declined: false, value: content.choice as V, ...decided, conversation }
    : { declined: true, value: undefined, ...decided, conversation };
}

async function askAndWait<const F extends FormOrSchema>(
  ask: Relay['ask'],
  question: string,
  options: AskingOptions,
  form: F,
): Promise<{ decision: Decision<ContentOf<F>>; conversation: Conversation<ContentOf<F>> }> {
  const { timeout, onReply, keepOpen, ...asked } = options;
  // `ask` refuses other names.
  if ('question' in asked || 'form' in asked)
    throw invalidInput('There is no option `question` or `form` here.');
  const { signal } = asked;
  const conversation = await ask({ ...asked, question, form });
  try {
    const decision = await conversation.waitForDecision({ timeout, onReply, signal });
    return { decision, conversation };
  } finally {
    // A later run continues a question with a name.
    const isOver = !keepOpen && (asked.once ?? asked.idempotencyKey) === undefined;
    if (isOver) await conversation.close({ signal: AbortSignal.timeout(closingMs) }).catch(() => {});
  }
}
