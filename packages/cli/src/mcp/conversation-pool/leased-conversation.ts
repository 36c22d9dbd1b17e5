import { type Answer, type Conversation, RelayError } from '@expert-relay/sdk';
import { Failure } from '../../failure.ts';
import type { Outages } from '../../relay/outages.ts';
import { isEndError } from '../../relay/request-state.ts';
import { type FurtherText, isUnsent, sendText } from '../../relay/send-text.ts';
import { type Entry, isDecision, type Messages, openForm } from '../../store/conversations.ts';
import { answerEntry, decisionEntry, type Journal } from '../../store/journal.ts';

/**
 * The answers that the last call has returned, by conversation. They count as delivered with the next call, so that an agent
 * that has lost its context gets them again.
 */
export type ReturnedAnswers = Map<string, readonly Pick<Entry, 'messageId'>[]>;

export interface LeaseOptions {
  conversation: Conversation;
  journal: Journal;
  /** Aborted when the lease ends. */
  life: AbortSignal;
  now: () => number;
  outages: Outages;
  returned: ReturnedAnswers;
}

/** A call that takes longer counts as not answered. */
const silentAfterMs = 3_000;

/** A conversation that only this process uses. */
export class LeasedConversation {
  readonly conversation: Conversation;
  readonly #options: LeaseOptions;
  readonly #journal: Journal;
  readonly #id: string;
  readonly #reachability: ReturnType<typeof watchReachability>;
  #reading: Promise<void> | undefined;
  /** The work of `#reading`, once it has begun. */
  #active: Promise<void> | undefined;
  #pause = new AbortController();
  #replying: Promise<unknown> = Promise.resolve();
  #news = promiseOf();

  constructor(options: LeaseOptions) {
    const { conversation, journal, life, outages } = options;
    this.conversation = conversation;
    this.#options = options;
    this.#journal = journal;
    this.#id = conversation.id;
    this.#reachability = watchReachability(conversation, life, outages);
  }

  /** As this machine has it. */
  get stored(): Messages {
    return this.#journal.read(this.#id);
  }

  /** Why the last wait could not receive an answer; undefined when the relay answered. */
  get outage(): string | undefined {
    return this.#reachability.outage;
  }

  /**
   * Waits for answers that were not delivered yet: with `includeEarly` all of them, otherwise those that had seen the last
   * message. Returns undefined when the signal aborts. Calls that wait at the same time return the same answers.
   */
  async nextAnswers({
    signal,
    includeEarly = false,
  }: {
    signal: AbortSignal;
    includeEarly?: boolean;
  }): Promise<readonly Entry[] | undefined> {
    const id = this.#id;
    const { returned } = this.#options;
    const isAnswered = () => this.#journal.deliverable(id, includeEarly).length > 0;
    try {
      if (!isAnswered()) void this.#reachability.check();
      while (!isAnswered()) await untilAborted(this.readOn(), signal);
      if (signal.aborted) return undefined;
      const answers = untilDecision(this.#journal.deliverable(id, includeEarly));
      returned.set(id, [...(returned.get(id) ?? []), ...answers.map(({ messageId }) => ({ messageId }))]);
      return answers;
    } catch (error) {
      if (signal.aborted) return undefined;
      throw error;
    }
  }

  /** Counts the answers that the last call has returned as delivered. */
  async markDelivered(): Promise<void> {
    const { returned } = this.#options;
    const answers = returned.get(this.#id);
    returned.delete(this.#id);
    if (answers) await this.#journal.markDelivered(this.#id, answers);
  }

  /** Returns whether the message was sent. If not, it is sent later automatically. */
  async reply(message: FurtherText, signal: AbortSignal): Promise<boolean> {
    const sending = this.#replying.then(() => this.#send(message, signal));
    this.#replying = sending.catch(() => {});
    return await sending;
  }

  /** Reads until something is added to the journal, or until a reply interrupts it. Unsent texts are sent during that time. */
  async readOn(): Promise<void> {
    const next = this.#news.promise;
    this.#reading ??= this.#replying
      .then(() => {
        this.#active = this.#read();
        return this.#active;
      })
      .finally(() => {
        this.#reading = this.#active = undefined;
      });
    await Promise.race([this.#reading, next]);
  }

  async #read(): Promise<void> {
    const { conversation } = this;
    const { life } = this.#options;
    const { signal } = this.#pause;
    const reads = { signal: AbortSignal.any([life, signal]) };
    try {
      if (openForm(this.stored) === undefined) {
        await this.#record(answerEntry(await conversation.waitForAnswer({ ...reads, includeEarly: true })));
      } else {
        const onReply = (answer: Answer) => this.#record(answerEntry(answer));
        await this.#record(decisionEntry(await conversation.waitForDecision({ ...reads, onReply })));
      }
    } catch (error) {
      if (!signal.aborted || life.aborted) throw error;
    }
  }

  async #record(entry: Entry): Promise<void> {
    // After the end of the lease, the next process reads it from the relay.
    if (!this.#options.life.aborted) {
      await this.#journal.add(this.#id, entry);
      // The next call may open it again, and then knows how the expert was met.
      await this.#journal.save(this.conversation.export());
    }
    this.#news.resolve();
    this.#news = promiseOf();
  }

  /** No answer is read meanwhile: otherwise a decision could count that neither knows this message nor is known to it. */
  async #send(message: FurtherText, signal: AbortSignal): Promise<boolean> {
    const { conversation } = this;
    const { now } = this.#options;
    const journal = this.#journal;
    this.#pause.abort();
    await this.#active?.catch(() => {});
    this.#pause = new AbortController();
    if (journal.undelivered(this.#id).some(isDecision)) throw decidedMeanwhile(conversation);
    try {
      return (await sendText({ conversation, journal, now, signal }, message)).isSent;
    } catch (error) {
      if (isEndError(error) || !isUnsent(conversation, message.text)) throw error;
      return false;
    }
  }
}

/** Whether the relay answers: waiting without an answer does not show that. */
function watchReachability(conversation: Conversation, life: AbortSignal, outages: Outages) {
  let isReachable = false;
  let waitingSince = 0;
  return {
    async check(): Promise<void> {
      isReachable = false;
      waitingSince = performance.now();
      try {
        await conversation.refresh({ signal: life });
      } catch (error) {
        // All other errors are answers of the relay; reading reports them, too.
        const isAway = RelayError.is(error, 'unreachable', 'rate_limited', 'aborted');
        if (isAway || life.aborted) return;
      }
      isReachable = true;
      outages.onOutage(undefined);
    },
    get outage(): string | undefined {
      if (outages.current) return outages.current;
      // A wait that has just started shows nothing yet.
      const isSilent = !isReachable && performance.now() - waitingSince > silentAfterMs;
      return isSilent ? 'The relay does not answer.' : undefined;
    },
  };
}

/** A decision is the last answer that is returned, so that none is about an older form than the messages beside it. */
function untilDecision(answers: readonly Entry[]): readonly Entry[] {
  const at = answers.findIndex(isDecision);
  return at < 0 ? answers : answers.slice(0, at + 1);
}

/** Otherwise the decision would count although it did not know this message. */
const decidedMeanwhile = ({ refCode }: Conversation) =>
  new Failure(
    'usage',
    `The expert has decided meanwhile, so the message was not sent. Call wait_for_answer with ${refCode} first.`,
  );

/** A promise that is resolved from outside. */
function promiseOf() {
  let resolve = () => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

/** Waits for the work until the signal aborts. The work itself is not cancelled. */
export function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const giveUp = () => reject(signal.reason);
    if (signal.aborted) giveUp();
    signal.addEventListener('abort', giveUp, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', giveUp));
  });
}
