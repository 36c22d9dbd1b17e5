import type { ContentOf } from '../forms/content-of.ts';
import { invalidInput } from '../relay-error.ts';
import type { Api } from '../transport/api.ts';
import { inTime, orAbort } from '../transport/waiting.ts';
import type { Conversation } from './conversation.ts';
import type { Decision } from './decision.ts';
import { checkValidFor } from './decision-age.ts';
import type { FormOrSchema, Question } from './question.ts';
import type { Approval, AskingOptions, Choice } from './relay.ts';
import type { Abandonment } from './submission.ts';
import { throwIfLate } from './wait-for-decision.ts';

/** Closing is optional: its failure must not hide the decision, nor go on for longer. */
const closingMs = 10_000;
/** The caller waits for it at most this long. */
const closingDelaysMs = 2_000;

export interface Asker {
  ask<const F extends FormOrSchema>(
    question: Question<F>,
    abandonment?: Abandonment,
  ): Promise<Conversation<ContentOf<F>>>;
}

interface Client extends Asker {
  readonly api: Pick<Api, 'post'>;
}

export async function approve(
  client: Client,
  question: string,
  options: AskingOptions = {},
): Promise<Approval> {
  const { decision, conversation } = await askAndWait(client, question, options, approvalForm);
  const { action, content, ...decided } = decision;
  return { approved: action === 'accept', ...decided, conversation };
}

const approvalForm = { type: 'object', properties: {} } as const;

export async function choose<V extends string>(
  client: Client,
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
  client: Client,
  question: string,
  options: AskingOptions,
  form: F,
): Promise<{ decision: Decision<ContentOf<F>>; conversation: Conversation<ContentOf<F>> }> {
  const { timeoutMs, onReply, validForMs, keepOpen, signal, ...asked } = options;
  // `ask` refuses other names.
  if ('question' in asked || 'form' in asked)
    throw invalidInput(
      'There is no option `question` or `form` here: the question is the first argument, and `ask` takes forms.',
    );
  checkValidFor(validForMs);
  const { api } = client;
  const startedAt = Date.now();
  const abandoned = new AbortController();
  let requestId: string | undefined;
  const note = (id: string) => {
    requestId = id;
  };
  let asking: ReturnType<typeof client.ask<F>> | undefined;

  /** Where the call has ended while the question was submitted, the relay may still take it. */
  async function close(own: AbortSignal | undefined): Promise<void> {
    own?.addEventListener('abort', () => abandoned.abort());
    const conversation = await asking?.catch(() => undefined);
    if (conversation) await conversation.close({ signal: own });
    else if (requestId) await api.post(`/api/v1/close/${requestId}`, {}, () => {}, own);
  }

  try {
    return await inTime(timeoutMs, signal, async (own) => {
      const abandonment = { signal: abandoned.signal, note };
      asking = client.ask({ ...asked, question, form, signal: own }, abandonment);
      const conversation = await orAbort(own, asking);
      const decision = await conversation.waitForDecision({ onReply, validForMs, signal: own });
      throwIfLate(startedAt, timeoutMs);
      return { conversation, decision };
    });
  } finally {
    // A later run continues a question with a name.
    if (keepOpen || asked.once !== undefined) abandoned.abort();
    else {
      const closing = inTime(closingMs, undefined, close);
      await inTime(closingDelaysMs, undefined, (own) => orAbort(own, closing)).catch(() => {});
    }
  }
}
