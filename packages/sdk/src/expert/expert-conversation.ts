import { checkOptions } from '../client-options.ts';
import { isRefusal } from '../crypto/refusal.ts';
import type { DecisionState } from '../forms/decide.ts';
import type { Form } from '../forms/form.ts';
import { hasCode, invalidInput, RelayError, type RelayErrorCode } from '../relay-error.ts';
import type { ContextMessage } from '../request-state.ts';
import { type BaseParts, type CallOptions, ConversationBase } from '../thread/conversation-base.ts';
import { describeParts, toMessage } from '../thread/describe-message.ts';
import type { Forms } from '../thread/load-forms.ts';
import { createIterator } from '../thread/mailbox.ts';
import type { Draft } from '../thread/outbox.ts';
import type { Head } from '../thread/page.ts';
import type { Sending } from '../thread/sending.ts';
import { members } from '../transport/shape.ts';
import type {
  AnswerOptions,
  CountedDecision,
  ExpertMessage,
  ExpertRequest,
  RequestForm,
  UnsentAnswer,
} from './expert-request.ts';
import { type ExpertSide, withoutRoot } from './expert-side.ts';
import { noQuestion } from './question.ts';
import { writeDecision } from './write-decision.ts';

export class ExpertConversation extends ConversationBase<Head> implements ExpertRequest {
  declare readonly agent: string | undefined;
  declare readonly createdAt: string;
  declare readonly question: string;
  declare readonly context: readonly ContextMessage[];
  declare readonly plaintext: string | undefined;
  declare readonly answerForm: Form | undefined;
  declare readonly agentName: string | undefined;
  declare readonly encrypted: boolean;
  readonly messages: AsyncIterable<ExpertMessage>;
  readonly #side: ExpertSide;
  /** The loops over `messages` that have not ended. */
  readonly #loops = new Set<() => void>();

  constructor(base: BaseParts<Head>, side: ExpertSide) {
    super(base);
    this.#side = side;
    const { follower, thread, request } = base;
    const { agent, createdAt } = request;
    Object.assign(this, {
      agent: thread.refusal && !side.question ? undefined : agent,
      createdAt,
      encrypted: side.agentSentKeys,
      ...(side.question ?? noQuestion),
      answerForm: side.form && thread.formTracker.module?.readForm(side.form.text),
    });
    const follow = () => {
      const unfollow = follower.follow();
      this.#loops.add(unfollow);
      return () => {
        this.#loops.delete(unfollow);
        unfollow();
      };
    };
    const take = async (signal: AbortSignal) => {
      const message = await thread.mailbox.take({ signal });
      return message && toMessage(message, thread.formTracker.load);
    };
    this.messages = { [Symbol.asyncIterator]: () => createIterator(follow, take) };
  }

  get refused(): RelayErrorCode | undefined {
    return this.base.thread.refusal?.code;
  }

  get form(): RequestForm | undefined {
    return this.base.thread.formTracker.parsed;
  }

  get decision(): DecisionState | undefined {
    return this.base.thread.standing()?.state;
  }

  get decisions(): readonly CountedDecision[] {
    const { formTracker, standing } = this.base.thread;
    const times = new Map(formTracker.answers.map(({ messageId, createdAt }) => [messageId, createdAt]));
    return (standing()?.counted ?? []).map(({ messageId, answer }) => ({
      ...{ ...answer, messageId },
      createdAt: times.get(messageId) ?? answer.decidedAt,
    }));
  }

  get held(): readonly string[] {
    return this.base.sender.held.map(({ text }) => text);
  }

  get unsentAnswers(): readonly UnsentAnswer[] {
    const { sender, thread } = this.base;
    const { unsent, held } = sender;
    return unsent.map((draft) => describeUnsent(draft, held.includes(draft), thread.formTracker.module));
  }

  get isPickedUp(): boolean {
    return this.#side.isPickedUp;
  }

  async pickUp(options: { readonly signal?: AbortSignal | undefined } = {}): Promise<void> {
    const { signal } = checkOptions(options, 'signal');
    const side = this.#side;
    const { api, thread, request } = this.base;
    if (side.isPickedUp) return;
    thread.checkOpen();
    if (!this.encrypted) return;
    const pickUp = await side.pickUp(thread.head ?? request).catch((error: unknown) => {
      if (isRefusal(error)) thread.refuse(error);
      throw error;
    });
    const sent = api
      .post(`/api/v1/key-exchange/${this.requestId}`, pickUp, members, signal)
      .catch(async (error: unknown) => {
        // The error of reading the list says more precisely whose keys are there.
        if (hasCode(error, 'conflict')) await thread.read(signal);
        throw error;
      });
    // At the same time the list is read, for messages of this expert's other devices.
    await Promise.all([sent, thread.readIfStale(signal)]);
    const { providerSignPubKey: sign, providerEncryptPubKey: encrypt, keySignature } = pickUp;
    await thread.adopt({ providerKeys: { sign, encrypt }, keySignature });
  }

  async answer(text: string, options: AnswerOptions = {}): Promise<Sending> {
    const { decision, plaintext, evenIfNewer, ...sending } = checkOptions(
      options,
      'decision files plaintext shown evenIfNewer signal onKept',
    );
    const { hasRoot, isEncrypted } = this.#side;
    const { thread, sender } = this.base;
    thread.checkOpen();
    if (!isEncrypted && !plaintext) {
      if (this.encrypted) throw withoutRoot(', or send it with `plaintext: true`');
      if (hasRoot) {
        throw invalidInput(
          'The agent has no keys: the relay could read this. Send it with `plaintext: true`.',
        );
      }
    }
    // A loop gets what is newer next, and can answer that too. Each answer says which messages it had seen.
    const isHeldIfNewer = !evenIfNewer && (sending.shown !== undefined || this.#loops.size === 0);
    const written = decision && writeDecision(decision, text, thread.formTracker, !isEncrypted);
    const sent = await sender.send(written?.text ?? text, {
      ...{ ...sending, answer: written?.answer },
      isHeldIfNewer,
    });
    if (sender.held.some(({ messageId }) => messageId === sent.messageId)) throw heldError();
    // Now `decision` includes it. Whatever fails here does not concern the answer, and is reported by the next call.
    if (decision && sent.isSent) await thread.read(sending.signal).catch(() => {});
    return sent;
  }

  override async refresh(options?: CallOptions): Promise<void> {
    await super.refresh(options);
    if (this.held.length > 0 && !this.base.thread.mailbox.hasEnded) throw heldError();
  }

  discard(messageIds?: readonly string[]): Promise<readonly string[]> {
    return this.base.sender.discard(messageIds);
  }
}

export const describeUnsent = (
  { messageId, text, parts }: Draft,
  isHeld: boolean,
  forms: Forms | undefined,
): UnsentAnswer => ({ messageId, text, isHeld, ...describeParts(parts, 'provider', forms) });

const heldError = () =>
  new RelayError(
    'newer_message',
    'Not sent: the agent has written something that you were not shown, or this is an old decision. Read it, then `answer` the same with its id in `shown`, or discard it.',
  );
