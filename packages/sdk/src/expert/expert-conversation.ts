import { checkOptions } from '../client-options.ts';
import { isMessageId } from '../crypto/message.ts';
import { isRefusal } from '../crypto/refusal.ts';
import { confidentialQuestion } from '../crypto/submission.ts';
import { type DecisionState, readForm } from '../forms/decide.ts';
import type { Form } from '../forms/form.ts';
import { invalidInput, RelayError } from '../relay-error.ts';
import type { ContextMessage, Follows } from '../request-state.ts';
import { type BaseParts, type CallOptions, ConversationBase } from '../thread/conversation-base.ts';
import { toMessage } from '../thread/describe-message.ts';
import { createIterator } from '../thread/mailbox.ts';
import type { Message } from '../thread/message.ts';
import type { Head } from '../thread/page.ts';
import type { Sender } from '../thread/sender.ts';
import type { SendResult } from '../thread/sending.ts';
import { firstReceived, isNewestCrossed } from '../thread/shown.ts';
import { members } from '../transport/shape.ts';
import { inTime } from '../transport/waiting.ts';
import { describePending } from './describe-pending.ts';
import type {
  AnswerOptions,
  CountedDecision,
  ExpertRequest,
  PendingAnswer,
  RequestForm,
} from './expert-request.ts';
import { type ExpertSide, withoutRoot } from './expert-side.ts';
import { noQuestion } from './question.ts';
import { writeDecision } from './write-decision.ts';

/** What a conversation has besides the objects of its base. */
export interface ExpertParts {
  readonly side: ExpertSide;
  /** The sender's, in turns where only one answer may wait. */
  readonly send: Sender['send'];
  /** How long an answer waits for what follows, in milliseconds. */
  readonly partsMs: number;
  /** The requests of this client with a loop over their messages: one entry for each loop that has not ended. */
  readonly looped: ExpertRequest[];
}

export class ExpertConversation extends ConversationBase<Head> implements ExpertRequest {
  declare readonly agent: string | undefined;
  declare readonly agentKeyId: string | undefined;
  declare readonly createdAt: string;
  declare readonly question: string;
  declare readonly context: readonly ContextMessage[];
  declare readonly plaintext: string | undefined;
  declare readonly answerForm: Form | undefined;
  declare readonly agentName: string | undefined;
  declare readonly encrypted: boolean;
  readonly messages: AsyncIterable<Message>;
  readonly #side: ExpertSide;
  readonly #send: Sender['send'];
  readonly #partsMs: number;
  readonly #looped: ExpertRequest[];
  /** Messages in the mailbox that the program was given by `receive`. */
  readonly #given = new Set<string>();
  #received: readonly Message[] = [];
  /** When what follows should have come, in milliseconds since 1970. */
  #partsDueAt: number | undefined;

  constructor(base: BaseParts<Head>, { side, send, partsMs, looped }: ExpertParts) {
    super(base);
    this.#side = side;
    this.#send = send;
    this.#partsMs = partsMs;
    this.#looped = looped;
    const { follower, thread, request } = base;
    const { agent, agentKeyId, createdAt } = request;
    Object.assign(this, {
      agent: thread.refusal && !side.question ? undefined : agent,
      agentKeyId,
      createdAt,
      encrypted: side.agentSentKeys,
      ...(side.question ?? noQuestion),
      answerForm: side.form && readForm(side.form.text),
    });
    const follow = () => {
      const unfollow = follower.follow();
      looped.push(this);
      return () => {
        looped.splice(looped.indexOf(this), 1);
        unfollow();
      };
    };
    const take = async (signal: AbortSignal) => {
      const message = await thread.mailbox.take({ signal });
      return message && toMessage(message);
    };
    this.messages = { [Symbol.asyncIterator]: () => createIterator(follow, take) };
  }

  get refused(): RelayError | undefined {
    return this.base.thread.refusal;
  }

  get form(): RequestForm | undefined {
    return this.base.thread.formTracker.parsed;
  }

  get decision(): DecisionState | undefined {
    return this.base.thread.standing()?.state;
  }

  get decisions(): readonly CountedDecision[] {
    const { thread } = this.base;
    const { answers } = thread.formTracker;
    const times = new Map(answers.map(({ messageId, createdAt }) => [messageId, createdAt]));
    return (thread.standing()?.counted ?? []).map(({ messageId, answer }) => ({
      ...answer,
      messageId,
      createdAt: times.get(messageId) ?? answer.decidedAt,
    }));
  }

  get isReopened(): boolean {
    const { decision } = this;
    if (decision && decision !== 'open') return decision === 'reopened';
    return isNewestCrossed(this.base.thread.known, 'provider');
  }
  get missingParts(): Follows | undefined {
    const { thread } = this.base;
    if (!this.encrypted || firstReceived(thread.known) !== undefined) return undefined;
    const { files = 0, question = false } = this.latest.follows ?? {};
    const isConfidential = question || this.#isConfidential;
    return files > 0 || isConfidential ? { files, question: isConfidential } : undefined;
  }
  get received(): readonly Message[] {
    return this.#received;
  }
  get pending(): readonly PendingAnswer[] {
    const { texts } = this.base.sender;
    return texts.all.map((draft) => describePending(draft, texts.stateOf(draft)));
  }

  get #isHeld(): boolean {
    return this.pending.some(({ state }) => state === 'held');
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
        if (RelayError.is(error, 'conflict')) await thread.read(signal);
        throw error;
      });
    // At the same time the list is read, for messages of this expert's other devices.
    await Promise.all([sent, thread.readIfStale(signal)]);
    const { providerSignPubKey: sign, providerEncryptPubKey: encrypt, keySignature } = pickUp;
    await thread.adopt({ providerKeys: { sign, encrypt }, keySignature });
    this.#partsDueAt ??= Date.now() + this.#partsMs;
  }

  async receive(options: CallOptions = {}): Promise<readonly Message[]> {
    const { signal } = checkOptions(options, 'signal');
    const { mailbox } = this.base.thread;
    const given = this.#given;
    if (!(await this.#waitForParts(signal))) throw partsMissing(this.missingParts);
    const news = mailbox.messages.filter(
      ({ role, messageId }) => role === 'consumer' && !given.has(messageId),
    );
    for (const { messageId } of news) given.add(messageId);
    this.#received = [...this.#received, ...news.map(toMessage)];
    return this.#received;
  }

  /** Waits for what the agent has announced. Returns whether it has come. */
  async #waitForParts(signal: AbortSignal | undefined, isUrgent = false): Promise<boolean> {
    if (!this.missingParts) return true;
    if (!this.#side.hasRoot) throw withoutRoot();
    await this.pickUp({ signal });
    // Picked up before, by another process or device: how long ago is not known.
    this.#partsDueAt ??= Date.now() + (isUrgent ? 0 : this.#partsMs);
    const { follower, thread } = this.base;
    const release = follower.follow();
    try {
      const fits = () => this.missingParts === undefined;
      await inTime(Math.max(0, this.#partsDueAt - Date.now()), signal, (own) =>
        thread.mailbox.take({ signal: own, fits, peek: true }),
      );
    } catch (error) {
      if (!RelayError.is(error, 'timeout')) throw error;
    } finally {
      release();
    }
    thread.checkOpen();
    return this.missingParts === undefined;
  }

  get #isConfidential(): boolean {
    return this.question === confidentialQuestion;
  }

  /** The messages that were returned to the program: their ids, in lower case. */
  get #returned(): readonly string[] {
    const { mailbox, known } = this.base.thread;
    const waiting = mailbox.messages.filter(({ messageId }) => !this.#given.has(messageId));
    const { others, fromDevices } = known;
    const ids = new Set([...others.keys(), ...fromDevices.keys()]);
    for (const { messageId } of waiting) ids.delete(messageId.toLowerCase());
    return [...ids];
  }

  async answer(text: string, options: AnswerOptions = {}): Promise<SendResult> {
    const { decision, plaintext, evenIfNewer, withoutParts, ...sending } = checkOptions(
      options,
      'messageId decision files plaintext shown evenIfNewer withoutParts signal onStored beforeSending',
    );
    const { messageId = '' } = sending;
    if (messageId && (!isMessageId(messageId) || messageId !== messageId.toLowerCase()))
      throw invalidInput('`messageId` must be a UUID in lower case.');
    const { hasRoot, isEncrypted } = this.#side;
    const { thread } = this.base;
    thread.checkOpen();
    if (!isEncrypted && !plaintext) {
      if (this.encrypted) throw withoutRoot(', or send it with `plaintext: true`');
      if (hasRoot) {
        throw invalidInput(
          'The agent has no keys: the relay could read this. Send it with `plaintext: true`.',
        );
      }
    }
    const { missingParts } = this;
    if (isEncrypted && !(await this.#waitForParts(sending.signal, withoutParts))) {
      if (!withoutParts || missingParts?.question) throw partsMissing(missingParts);
    }
    const { shown = this.#returned } = sending;
    const first = isEncrypted ? firstReceived(thread.known) : undefined;
    const isFirstShown = first === undefined || shown.some((messageId) => messageId.toLowerCase() === first);
    if (this.#isConfidential && !isFirstShown) throw unreadQuestion();
    // A loop gets what is newer next, and can answer that too. Each answer says which messages it had seen.
    const isInLoop = sending.shown === undefined && isFirstShown && this.#looped.includes(this);
    const isHeldIfNewer = !evenIfNewer && !isInLoop;
    const written = decision && writeDecision(decision, text, thread.formTracker, !isEncrypted);
    const sent = await this.#send(written?.text ?? text, {
      ...sending,
      shown,
      answer: written?.answer,
      isHeldIfNewer,
    });
    if (this.pending.some((answer) => answer.messageId === sent.messageId && answer.state === 'held'))
      throw heldError();
    // Now `decision` includes it. Whatever fails here does not concern the answer, and is reported by the next call.
    if (decision && sent.isSent) await thread.read(sending.signal).catch(() => {});
    return sent;
  }

  override async refresh(options?: CallOptions): Promise<void> {
    await super.refresh(options);
    if (this.#isHeld && !this.base.thread.mailbox.hasEnded) throw heldError();
  }

  discard(messageIds?: readonly string[]): Promise<readonly string[]> {
    return this.base.sender.discard(messageIds);
  }
}

function partsMissing({ files, question }: Follows = { files: 0, question: false }): RelayError {
  const what = question ? 'the question' : `${files} ${files === 1 ? 'file' : 'files'}`;
  const orElse = question ? '' : ', or answer `withoutParts`';
  return new RelayError(
    'parts_missing',
    `Not sent: the agent has announced ${what}, and nothing has come. Its program may not run now. Try again later${orElse}.`,
  );
}

const unreadQuestion = () =>
  new RelayError(
    'newer_message',
    'Not sent: the question is confidential, and you were not shown it. Read it first: `receive` returns it.',
  );

const heldError = () =>
  new RelayError(
    'newer_message',
    'Not sent: the agent has written something that you were not shown, or this is an old decision. Read it, then `answer` again, with its id in `shown`, or discard it.',
  );
