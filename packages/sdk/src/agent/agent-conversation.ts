import { checkOptions } from '../client-options.ts';
import type { AgentKeys } from '../crypto/agent-keys.ts';
import { createQueue } from '../crypto/queue.ts';
import type { Content } from '../forms/form.ts';
import { toForm } from '../forms/to-form.ts';
import { invalidInput } from '../relay-error.ts';
import type { AskedRequest } from '../request-state.ts';
import { type BaseParts, type ClosingOptions, ConversationBase } from '../thread/conversation-base.ts';
import { toMessage } from '../thread/describe-message.ts';
import { createIterator, type Mailbox } from '../thread/mailbox.ts';
import { ended, type Message, type ReadMessage } from '../thread/message.ts';
import { hasForms, isNote } from '../thread/message-parts.ts';
import type { SendOptions, SendResult } from '../thread/sending.ts';
import { requestNotes } from '../transport/requests.ts';
import { members } from '../transport/shape.ts';
import { inTime, orAbort } from '../transport/waiting.ts';
import type { AgentSide } from './agent-side.ts';
import type { Answer } from './answer.ts';
import type { AskAgainOptions, Conversation, ReceiptOptions, WaitOptions } from './conversation.ts';
import type { ConversationState, Verification } from './conversation-state.ts';
import { type Facts, storedDecision } from './outcomes.ts';
import type { FormOrSchema } from './question.ts';
import { readReceipt } from './read-receipt.ts';
import { readTranscript } from './read-transcript.ts';
import { type DecisionParts, DecisionWait, type WaitingOptions } from './wait-for-decision.ts';

export interface ConversationParts {
  readonly id: string;
  readonly once: ConversationState['once'];
  readonly keys: AgentKeys | undefined;
  readonly submissionDigest: string | undefined;
  readonly isConfidential: boolean | undefined;
  readonly side: AgentSide;
  readonly save: (state: ConversationState) => Promise<void>;
  readonly owner: string;
  readonly decided: ConversationState['decided'];
  readonly facts: Facts;
  /** What the form of the question was made of, where this process knows it, and later those that were sent. */
  readonly schemas: (FormOrSchema | undefined)[];
}

/** It tells the expert why the form comes again. */
const contradicted = 'Your answers to this form contradict each other. Please decide again.';

export class AgentConversation<C = Content>
  extends ConversationBase<AskedRequest>
  implements Conversation<C>
{
  readonly #parts: Omit<ConversationParts, 'decided'>;
  readonly #decisionParts: DecisionParts;
  /** A store may take its time: an older state must not overwrite a newer one. */
  readonly #saving = createQueue();

  constructor(base: BaseParts<AskedRequest>, { decided, ...parts }: ConversationParts) {
    super(base);
    this.#parts = parts;
    const { thread, sender } = base;
    const { facts, side, schemas } = parts;
    this.#decisionParts = {
      thread,
      sender,
      facts,
      side,
      decided,
      // Forms that are sent later are added to it.
      schemas,
      take: (messageId, signal) => {
        const fits = (message: ReadMessage) => message.messageId === messageId;
        // Another taker may have it.
        return thread.mailbox.messages.some(fits) ? this.#take({ signal, fits }) : undefined;
      },
      reported: new Set<string>(),
      save: () => this.save(),
      markProcessed: () => this.#markProcessed(),
      decisionOf: (of) => this.#decisionOf(of),
      standing: (isRefused) => (sender.texts.hasDrafts ? undefined : thread.standing(isRefused)),
      get sendsForm() {
        return sender.texts.all.some(({ parts }) => hasForms(parts));
      },
    };
  }

  get id(): string {
    return this.#parts.id;
  }
  get isEncrypted(): boolean {
    return this.#parts.keys !== undefined;
  }
  get fingerprint(): string | undefined {
    return this.#parts.side.exchange?.fingerprint;
  }
  get unsent(): readonly string[] {
    return this.base.sender.texts.all.map(({ text }) => text);
  }

  get isPickedUp(): boolean {
    return this.#parts.side.isPickedUp;
  }
  get verification(): Verification {
    return this.#parts.side.exchange?.verification ?? 'none';
  }

  verify(fingerprint: string): boolean {
    return this.#parts.side.verify(fingerprint);
  }

  async waitForAnswer(options: WaitOptions = {}): Promise<Answer> {
    const { includeEarly = false, ...waiting } = checkOptions(options, 'timeoutMs includeEarly signal');
    const { mailbox } = this.base.thread;
    // Before the time runs: the store may take longer than a caller who waits for nothing.
    if (mailbox.unprocessed.length > 0) await this.#markProcessed();
    const fits = (message: ReadMessage) =>
      includeEarly || (message.seenYourLast !== false && !isNote(message));
    return await this.#wait(mailbox.isReady(fits), waiting, (signal) => this.#take({ signal, fits }));
  }

  async waitForDecision(options: WaitingOptions = {}): Promise<never> {
    const waiting = checkOptions(options, 'timeoutMs onReply form validForMs signal');
    const decision = this.#wait(false, waiting, (signal) =>
      new DecisionWait(this.#decisionParts, { ...waiting, signal }).run(),
    );
    // The form of this conversation says which type it has.
    return (await decision) as never;
  }

  /** Follows the conversation until this returns something, or until the time is over. */
  async #wait<T>(
    isReady: boolean,
    { timeoutMs, signal }: Pick<WaitOptions, 'timeoutMs' | 'signal'>,
    run: (signal: AbortSignal | undefined) => Promise<T | undefined>,
  ): Promise<T> {
    // Without time to wait there is only what was read before, and nothing is read for it.
    const release = isReady || timeoutMs === 0 ? () => {} : this.base.follower.follow();
    try {
      const result = await inTime(timeoutMs, signal, run);
      if (result) return result;
      await this.#markProcessed();
      throw ended(this.status);
    } finally {
      release();
    }
  }

  async messages(options: { readonly signal?: AbortSignal | undefined } = {}): Promise<readonly Message[]> {
    const { signal } = checkOptions(options, 'signal');
    return await readTranscript(this.base, this.#parts.side, signal);
  }

  async receipt(options: ReceiptOptions = {}): Promise<string> {
    const { whole = false, signal } = checkOptions(options, 'whole signal');
    const { refCode, base } = this;
    const decisionOf = (of: string) => this.#decisionOf(of);
    return await readReceipt({ ...base, ...this.#parts, refCode, decisionOf }, { whole, signal });
  }

  [Symbol.asyncIterator](): AsyncIterator<Answer> {
    return createIterator(
      () => this.base.follower.follow(),
      (signal) => this.#take({ signal }),
    );
  }

  async send(text: string, options: AskAgainOptions = {}): Promise<SendResult> {
    const { form, ...sending } = checkOptions(options, 'form files shown signal');
    const answerForm = form && JSON.stringify(toForm(form));
    if (form) this.#parts.schemas.push(form);
    return this.base.sender.send(text, { ...sending, answerForm });
  }

  async askAgain(text = contradicted, options: SendOptions = {}): Promise<SendResult> {
    const sending = checkOptions(options, 'files shown signal');
    const { form } = this.base.thread.formTracker;
    if (!form || !this.isEncrypted) throw invalidInput('There is no form in this encrypted conversation.');
    if (await this.#decisionOf(form.of)) throw invalidInput('It is decided: ask a new question.');
    return this.base.sender.send(text, { ...sending, answerForm: form.text });
  }

  /** The message that decided about a form, if a program has its decision. */
  async #decisionOf(of: string): Promise<string | undefined> {
    const { decided } = this.#decisionParts;
    return (
      (await storedDecision(this.#parts.facts, of)) ?? (decided?.of === of ? decided.messageId : undefined)
    );
  }

  /** Notes that the question ends without a decision: a later one does not count. The relay may have one already. */
  async #withdraw(signal: AbortSignal | undefined): Promise<void> {
    const { thread } = this.base;
    const { form } = thread.formTracker;
    const { side, facts } = this.#parts;
    if (!form || side.isWithdrawn || (await this.#decisionOf(form.of))) return;
    if (!thread.mailbox.hasEnded) await thread.read(signal).catch(() => {});
    if (thread.mailbox.hasEnded || this.#decisionParts.standing()?.decided) return;
    await facts.set('withdrawn', '1');
    side.isWithdrawn = true;
    await this.save();
  }

  override async close(options: ClosingOptions = {}): Promise<void> {
    const { reason, signal } = checkOptions(options, 'reason signal');
    const { api, thread } = this.base;
    await this.#withdraw(signal);
    const closed = await api.post(`/api/v1/close/${this.requestId}`, { reason }, members, signal);
    const { head, refusal, answersRead } = thread;
    const isAllRead = closed.status === 'closed' && closed.responseCount === answersRead;
    // Then no list is needed to know how it ended.
    if (!head || refusal || !isAllRead) await thread.read(signal);
    else {
      const news = { ...requestNotes({ ...closed, tags: head.tags }), status: 'closed' as const };
      await orAbort(signal, thread.adopt(news));
    }
    // An agent that closes has processed its answers.
    await this.#markProcessed();
  }

  /** Answers that the program was given count as processed: it has them when it calls this. */
  export(): ConversationState {
    return this.#export(this.base.thread.mailbox.messages);
  }

  /** Saves the state at a moment that the program does not know: answers that it may not have processed are returned again. */
  save(): Promise<void> {
    return this.#saving(() => this.#parts.save(this.#export()));
  }

  #export(messages?: readonly ReadMessage[]): ConversationState {
    const { id, once, keys, side, submissionDigest, isConfidential } = this.#parts;
    const { thread, sender } = this.base;
    const { requestId, refCode, status, expiresAt, responseCount, erasedAt } = this.latest;
    return {
      version: 2,
      id,
      once,
      owner: this.#parts.owner,
      withdrawn: side.isWithdrawn || undefined,
      request: { requestId, refCode, status, expiresAt, responseCount, erasedAt },
      submissionDigest,
      answerForm: side.form?.text,
      decided: this.#decisionParts.decided,
      isConfidential,
      keys: keys?.export(),
      exchange: side.exchange,
      thread: messages ? { ...thread.state, messages: [...messages] } : thread.state,
      sender: sender.texts.state,
    };
  }

  /** What the program was given is processed: it is not returned again, also after a restart. */
  #markProcessed(): Promise<void> {
    this.base.thread.mailbox.markProcessed();
    return this.save();
  }

  /**
   * An answer counts as processed when the caller asks for the next one. Until then each state that is saved has it. It leaves the
   * mailbox in the step in which it is returned, since the process may be killed, or the call end, before that.
   */
  async #take(options: Parameters<Mailbox<ReadMessage>['take']>[0]): Promise<Answer | undefined> {
    const { thread, sender } = this.base;
    const { mailbox } = thread;
    if (mailbox.unprocessed.length > 0) await this.#markProcessed();
    for (;;) {
      const message = await mailbox.take({ ...options, peek: true });
      if (!message) return undefined;
      // Texts that waited for keys are sent now: the caller may not wait for another answer.
      if (sender.texts.isDue) await sender.flush(options.signal).catch(() => {});
      const { from, ...answer } = toMessage(message);
      if (mailbox.give(message)) return answer;
    }
  }
}
