import type { Standing } from '../forms/decide.ts';
import { unreadableAnswer } from '../forms/form-answer.ts';
import { invalidInput, RelayError } from '../relay-error.ts';
import type { BaseParts } from '../thread/conversation-base.ts';
import type { FormTracker } from '../thread/form-tracker.ts';
import type { Mailbox } from '../thread/mailbox.ts';
import type { ReadMessage } from '../thread/message.ts';
import { isNote } from '../thread/message-parts.ts';
import { inTime, throwIfAborted } from '../transport/waiting.ts';
import type { Answer } from './answer.ts';
import { CheckedAnswers } from './checked-answers.ts';
import type { ConversationState } from './conversation-state.ts';
import type { Decision, DecisionOptions } from './decision.ts';
import { checkValidFor } from './decision-age.ts';
import { declineName, type Facts, hasContradiction, outcomeName, storedDecision } from './outcomes.ts';
import type { FormOrSchema } from './question.ts';

/** What waiting for a decision needs of a conversation. */
export interface DecisionParts extends Pick<BaseParts<unknown>, 'thread' | 'sender'> {
  /** The decision that was returned, if any. */
  decided: ConversationState['decided'];
  readonly facts: Facts;
  /** The answers that do not count whose error this process has. */
  readonly reported: Set<string>;
  readonly side: { isWithdrawn: boolean };
  /** The message that decided about a form, if a program has its decision. */
  decisionOf(of: string): Promise<string | undefined>;
  /** While texts wait to be encrypted, no answer has seen them. */
  standing(isRefused?: (messageId: string) => boolean): Standing | undefined;
  /** What forms of this conversation were made of, where this process knows it. Some may never have been sent. */
  readonly schemas: readonly (FormOrSchema | undefined)[];
  /** Whether a form waits to be sent. */
  readonly sendsForm: boolean;
  /** Takes a message that has arrived, as `waitForAnswer` does. */
  readonly take: (
    messageId: string,
    signal: AbortSignal | undefined,
  ) => Promise<Answer | undefined> | undefined;
  readonly save: () => Promise<void>;
  /** Saves that what was taken is processed. */
  readonly markProcessed: () => Promise<void>;
}

export interface WaitingOptions extends DecisionOptions {
  readonly form?: FormOrSchema | undefined;
}

/** How long a decision that was returned before waits for what came later. */
const laterMs = 10_000;

/** Waits for a decision about the newest form. */
export class DecisionWait {
  readonly #parts: DecisionParts;
  readonly #options: WaitingOptions;
  readonly #startedAt = Date.now();
  readonly #checked: CheckedAnswers;
  /** The message whose decision about the newest form a program has. */
  #returned: string | undefined;
  /** Whether some process has reported a contradiction about the newest form. */
  #isContradicted = false;

  constructor(parts: DecisionParts, options: WaitingOptions) {
    checkValidFor(options.validForMs);
    this.#parts = parts;
    this.#options = options;
    const { thread, schemas } = parts;
    this.#checked = new CheckedAnswers(thread.formTracker, { ...options, schemas });
  }

  get #tracker(): FormTracker {
    return this.#parts.thread.formTracker;
  }
  get #mailbox(): Mailbox<ReadMessage> {
    return this.#parts.thread.mailbox;
  }

  /**
   * It is undefined when the conversation has ended without a decision.
   *
   * @throws RelayError `answer_invalid`, `answer_conflict`, `decision_too_old`
   */
  async run(): Promise<Decision | undefined> {
    const { take, sender, sendsForm, markProcessed } = this.#parts;
    const { onReply, signal } = this.#options;
    if (!this.#tracker.form && !sendsForm) {
      throw invalidInput('This conversation has no form: ask with `form`, or send one.');
    }
    let hasWaited = false;
    let hasReadLater = false;
    await sender.takeOver(signal);
    for (;;) {
      await this.#readFacts();
      if (this.#returned !== undefined && !hasReadLater) await this.#readLater();
      hasReadLater = true;
      const written = this.#mailbox.messages.filter((message) => !isNote(message));
      // Beside a decision that was returned, all others are replies.
      const next =
        this.#returned === undefined ? written[0] : written.find((message) => !this.#concerns(message));
      if (next && onReply && !this.#concerns(next)) {
        const reply = await take(next.messageId, signal);
        if (reply) {
          await onReply(reply);
          await markProcessed();
        }
        continue;
      }
      const decision = await this.#findDecision(hasWaited);
      if (decision) return decision;
      const fits = (message: ReadMessage) => (onReply !== undefined && !isNote(message)) || this.#isDue();
      if (!(await this.#mailbox.take({ signal, fits, peek: true }))) return undefined;
      hasWaited = true;
    }
  }

  /** Reads what other processes have stored. @throws RelayError `withdrawn` */
  async #readFacts(): Promise<void> {
    const { facts, side } = this.#parts;
    const { form } = this.#tracker;
    this.#returned = await this.#returnedBefore();
    this.#isContradicted = form !== undefined && (await hasContradiction(facts, form.of));
    side.isWithdrawn ||= (await facts.get('withdrawn')) !== undefined;
    if (side.isWithdrawn && this.#returned === undefined) throw withdrawn();
  }

  /** The message that decided about the newest form, if a program has its decision. */
  async #returnedBefore(): Promise<string | undefined> {
    const { form } = this.#tracker;
    return form && !this.#parts.sendsForm ? await this.#parts.decisionOf(form.of) : undefined;
  }

  /** What came since a decision was returned, and goes to `onReply`. Without an answer of the relay there is only the decision. */
  async #readLater(): Promise<void> {
    const { timeoutMs, signal } = this.#options;
    if (timeoutMs === 0 || this.#mailbox.hasEnded) return;
    await inTime(laterMs, signal, (limited) => this.#parts.thread.read(limited)).catch(() =>
      throwIfAborted(signal),
    );
  }

  async #findDecision(hasWaited: boolean): Promise<Decision | undefined> {
    const parts = this.#parts;
    const tracker = this.#tracker;
    const { thread, sender, facts } = parts;
    const { signal } = this.#options;
    let by = await this.#returnedBefore();
    if (by && parts.decided?.of !== tracker.form?.of && !this.#mailbox.hasEnded) {
      // The process that has returned the decision may have sent another form since.
      await thread.readIfStale(signal);
      by = await this.#returnedBefore();
    }
    const known = tracker.form;
    if (known && by && tracker.answers.some(({ messageId }) => messageId === by)) {
      return await this.#return(known.of, by);
    }
    if (sender.texts.isDue) await sender.flush(signal).catch(() => {});
    if (!this.#isDue()) return undefined;
    // The relay may already have a decline, which comes before an accept. A message that has ended the wait was read only just now.
    if (!this.#mailbox.hasEnded) await (hasWaited ? thread.readIfStale(signal) : thread.read(signal));
    if (thread.refusal) throw thread.refusal;
    // Another process may have written: what the relay hides of it here must not be decided over.
    await sender.takeOver(signal);
    if (sender.texts.isDue) await sender.flush(signal).catch(() => {});
    await this.#readFacts();
    const { form } = tracker;
    if (!form) return undefined;
    await this.#checked.checkNew();
    const now = this.#standing();
    const decidedBy = this.#isContradicted && now?.state !== 'declined' ? undefined : now?.decided?.messageId;
    const first = this.#returned ?? decidedBy;
    if (first) return await this.#return(form.of, first);
    if (now?.state === 'conflict' || this.#isContradicted) {
      await parts.save();
      const contradicting = now?.counted.map(({ messageId }) => messageId) ?? [];
      await facts.remember(outcomeName(form.of), JSON.stringify(contradicting));
      const decided = await storedDecision(facts, form.of);
      if (decided !== undefined) return await this.#return(form.of, decided);
      throw conflict();
    }
    const [invalid] = this.#newInvalid();
    if (invalid === undefined) return undefined;
    parts.reported.add(invalid);
    await parts.take(invalid, signal);
    throw this.#checked.errorOf(invalid) ?? unreadableAnswer();
  }

  /** Returns it, and no other one from then on: the program may have acted on it. */
  async #return(of: string, messageId: string): Promise<Decision> {
    const { facts, thread, save, take, markProcessed } = this.#parts;
    const { timeoutMs, signal } = this.#options;
    throwIfLate(this.#startedAt, timeoutMs);
    await this.#checked.checkNew();
    // Another process may have read more.
    if (!this.#checked.has(messageId)) await thread.read(signal).then(() => this.#checked.checkNew());
    const decision = this.#checked.decisionIn(messageId);
    this.#parts.decided = { of, messageId };
    await save();
    // It may also have returned another one in the meantime, or reported a contradiction. What this program does not get stays in
    // the mailbox.
    await facts.remember(outcomeName(of), JSON.stringify(messageId));
    if (decision.action === 'decline' && (await hasContradiction(facts, of)))
      await facts.remember(declineName(of), messageId);
    const first = await storedDecision(facts, of);
    if (first === undefined) {
      this.#parts.decided = undefined;
      await save();
      throw conflict();
    }
    if (first !== messageId) return await this.#return(of, first);
    await take(messageId, signal);
    await markProcessed();
    return decision;
  }

  /** Whether this message decides, or is one of those that prevent it. */
  #concerns({ messageId }: ReadMessage): boolean {
    if (this.#returned !== undefined) return messageId === this.#returned;
    const { state, decided } = this.#standing() ?? {};
    if (state === 'conflict') return this.#tracker.answers.some((answer) => answer.messageId === messageId);
    return decided?.messageId === messageId || this.#newInvalid().includes(messageId);
  }

  #isDue(): boolean {
    const { state, decided } = this.#standing() ?? {};
    const isDecided = decided !== undefined || state === 'conflict' || this.#isContradicted;
    const isInvalid = this.#newInvalid().length > 0;
    const isConcerned = this.#mailbox.messages.some((message) => this.#concerns(message));
    return this.#returned !== undefined || isDecided || isInvalid || isConcerned;
  }

  #standing(): Standing | undefined {
    return this.#parts.standing((messageId) => this.#checked.errorOf(messageId) !== undefined);
  }

  /** Answers that do not count, and that must be reported: by each process once, until the agent has written again. */
  #newInvalid(): readonly string[] {
    const { reported } = this.#parts;
    const followed = new Set(
      this.#tracker.answers.flatMap(({ isFollowed, messageId }) => (isFollowed ? messageId : [])),
    );
    return this.#standing()?.invalid.filter((id) => !followed.has(id) && !reported.has(id)) ?? [];
  }
}

/** A timer stands still while the machine sleeps: without the clock, a decision could be acted on hours after its time. */
export function throwIfLate(startedAt: number, timeoutMs = 0): void {
  if (timeoutMs > 0 && Date.now() - startedAt > timeoutMs)
    throw new RelayError(
      'timeout',
      `No decision was taken within ${timeoutMs / 1_000} s: wait or ask again.`,
    );
}

const conflict = () =>
  new RelayError(
    'answer_conflict',
    'The expert has accepted with different contents. None of them counts, before the expert declines or `askAgain` sends the form again.',
  );

const withdrawn = () =>
  new RelayError(
    'withdrawn',
    'This agent has closed the question without a decision: none counts any more. Ask a new one.',
  );
