import { type Answer, type Conversation, RelayError } from '@expert-relay/sdk';
import { type Form, parseForm } from '@expert-relay/sdk/forms';
import { Failure } from '../../failure.ts';
import type { FileContent } from '../../files/file-to-send.ts';
import { answerEntry, decisionEntry, type Journal, ownEntry } from '../../relay/journal.ts';
import type { Outages } from '../../relay/outages.ts';
import { isEndError } from '../../relay/request-state.ts';
import { type Entry, isDecision, isEarly, newestForm, openForm } from '../../store/conversations.ts';

/** Answers that are being delivered to the agent. In the end one of the two functions is called. */
export interface PendingDelivery {
  readonly entries: readonly Entry[];
  /** The agent has received them: they are not returned again. */
  delivered(): void;
  /** They were not received: the next call returns them. */
  putBack(): void;
}

export interface Reply {
  readonly text: string;
  readonly form?: Form | undefined;
  readonly files?: readonly FileContent[] | undefined;
  /** Whether the newest form is sent again. */
  readonly again?: boolean | undefined;
}

/** A conversation that only this process uses. */
export interface LeasedConversation {
  readonly conversation: Conversation;
  /**
   * Waits for answers that were not delivered yet: with `any` all of them, otherwise those that had seen the last
   * message. Returns undefined when the signal aborts. Calls that wait at the same time return the same answers.
   */
  nextAnswers(options: { signal: AbortSignal; any?: boolean }): Promise<PendingDelivery | undefined>;
  /** Why the last wait could not receive an answer; undefined when the relay answered. */
  readonly outage: string | undefined;
  /** Returns whether the message was sent. If not, it is sent later automatically. */
  reply(message: Reply, signal: AbortSignal): Promise<boolean>;
  /** Reads until there is something new. Unsent texts are sent during that time. */
  readOn(): Promise<void>;
}

export interface LeaseOptions {
  conversation: Conversation;
  journal: Journal;
  /** Aborted when the lease ends. */
  life: AbortSignal;
  now: () => number;
  outages: Outages;
}

/** A call that takes longer counts as not answered. */
const silentAfterMs = 3_000;

export function leaseConversation({
  conversation,
  journal,
  life,
  now,
  outages,
}: LeaseOptions): LeasedConversation {
  const { id } = conversation;
  let reading: Promise<void> | undefined;
  /** The work of `reading`, once it has begun. */
  let active: Promise<void> | undefined;
  let pause = new AbortController();
  let replying: Promise<unknown> = Promise.resolve();
  let news = promiseOf();
  const deliveries = shareDeliveries((entries) => journal.markDelivered(id, entries));
  const reachability = watchReachability(conversation, life, outages);

  /** Reads until something is added to the journal, or until a reply interrupts it. */
  function readOn(): Promise<void> {
    const next = news.promise;
    reading ??= replying
      .then(() => {
        active = read();
        return active;
      })
      .finally(() => {
        reading = active = undefined;
      });
    return Promise.race([reading, next]);
  }

  async function read(): Promise<void> {
    const { signal } = pause;
    const reads = { signal: AbortSignal.any([life, signal]) };
    try {
      if (openForm(journal.read(id)) === undefined) {
        await record(answerEntry(await conversation.waitForAnswer({ ...reads, any: true })));
      } else {
        const onReply = (answer: Answer) => record(answerEntry(answer));
        await record(decisionEntry(await conversation.waitForDecision({ ...reads, onReply })));
      }
    } catch (error) {
      if (!signal.aborted || life.aborted) throw error;
    }
  }

  async function record(entry: Entry): Promise<void> {
    // A delivery that is running must be recorded first.
    await deliveries.over;
    // After the end of the lease, the next process reads it from the relay.
    if (!life.aborted) journal.add(conversation, entry);
    news.resolve();
    news = promiseOf();
  }

  /** No answer is read meanwhile: otherwise a decision could count that neither knows this message nor is known to it. */
  async function send({ text, form: given, files, again }: Reply, signal: AbortSignal): Promise<boolean> {
    pause.abort();
    await active?.catch(() => {});
    pause = new AbortController();
    await untilAborted(deliveries.over, signal);
    const [earlier, shown] = [journal.undelivered(id), journal.shown(id)];
    if (earlier.some(isDecision)) throw decidedMeanwhile(conversation);
    const newest = again ? newestForm(journal.read(id)) : undefined;
    const form = newest === undefined ? given : parseForm(newest);
    let messageId: string | undefined;
    let isSent = false;
    try {
      ({ messageId, isSent } = await (again
        ? conversation.askAgain(text, { files, shown, signal })
        : conversation.send(text, { form, files, shown, signal })));
    } catch (error) {
      if (isEndError(error) || !conversation.unsent.includes(text)) throw error;
    }
    const { isEncrypted } = conversation;
    const sent = { text, isEncrypted, messageId, form, files, now: now() };
    journal.add(conversation, ownEntry(sent), earlier);
    return isSent;
  }

  return {
    conversation,
    readOn,
    get outage() {
      return reachability.outage;
    },
    async nextAnswers({ signal, any = false }) {
      const fits = (one: Entry) => any || !isEarly(one);
      const matching = () => journal.undelivered(id).filter(fits);
      // A note is given with the next answer.
      const isAnswered = () => matching().some(({ isNote }) => any || !isNote);
      try {
        await untilAborted(deliveries.over, signal);
        if (!isAnswered()) void reachability.check();
        for (;;) {
          while (!isAnswered()) await untilAborted(readOn(), signal);
          if (signal.aborted) return undefined;
          const { running } = deliveries;
          if (!running) return deliveries.start(untilDecision(matching()));
          if (running.every(fits)) return deliveries.join(running);
          await untilAborted(deliveries.over, signal);
        }
      } catch (error) {
        if (signal.aborted) return undefined;
        throw error;
      }
    },
    reply(message, signal) {
      const sending = replying.then(() => send(message, signal));
      replying = sending.catch(() => {});
      return sending;
    },
  };
}

/** At most one delivery runs. The answers count as delivered when one of the calls that share it has delivered them. */
function shareDeliveries(markDelivered: (entries: readonly Entry[]) => void) {
  let running: readonly Entry[] | undefined;
  let calls = 0;
  let over = promiseOf();
  over.resolve();

  function join(entries: readonly Entry[]): PendingDelivery {
    calls += 1;
    const leave = () => {
      calls -= 1;
      if (calls > 0) return;
      running = undefined;
      over.resolve();
    };
    return {
      entries,
      putBack: leave,
      delivered() {
        markDelivered(entries);
        leave();
      },
    };
  }

  return {
    /** The answers of the delivery that runs. */
    get running() {
      return running;
    },
    /** Resolves when no delivery runs. */
    get over() {
      return over.promise;
    },
    start(entries: readonly Entry[]): PendingDelivery {
      running = entries;
      over = promiseOf();
      return join(entries);
    },
    join,
  };
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
        const isAway =
          error instanceof RelayError && ['unreachable', 'rate_limited', 'aborted'].includes(error.code);
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

/** A decision is the last one of a delivery, so that none is about an older form than the messages beside it. */
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
