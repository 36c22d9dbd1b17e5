import { RelayError, type RelayErrorCode } from '@expert-relay/sdk';
import type { ExpertMessage, ExpertRequest } from '@expert-relay/sdk/expert';
import type { Storage } from '../storage/storage.ts';
import { createStore, type Store } from '../ui/store.ts';
import { isRefusal } from './refusal-sentences.ts';

/** What a conversation needs of a request: the SDK has it, and a plain one where browsers offer no cryptography. */
export type OpenRequest = Pick<
  ExpertRequest,
  | 'refCode'
  | 'status'
  | 'createdAt'
  | 'expiresAt'
  | 'erasedAt'
  | 'question'
  | 'context'
  | 'plaintext'
  | 'encrypted'
  | 'isPickedUp'
  | 'unsent'
  | 'messages'
  | 'pickUp'
  | 'answer'
  | 'refresh'
  | 'close'
> & { readonly agent: string | undefined; discard(): Promise<readonly string[]> };

/** What is shown of a request besides its messages. */
export type RequestView = Omit<
  OpenRequest,
  'unsent' | 'messages' | 'pickUp' | 'answer' | 'discard' | 'refresh' | 'close'
>;

/** An answer that the list of messages does not show yet. */
export interface PendingAnswer {
  readonly key: string;
  readonly text: string;
  readonly at: string;
  /**
   * `waiting`: it goes out by itself once the relay can be reached. `refused`: it does not, and `code` says why.
   */
  readonly delivery: 'waiting' | 'sending' | 'sent' | 'refused';
  readonly code?: RelayErrorCode | undefined;
  readonly messageId?: string | undefined;
  /** How many messages were there when it was written. */
  readonly after: number;
}

export interface ConversationState {
  /** Undefined until it was read. */
  readonly request: RequestView | undefined;
  readonly messages: readonly ExpertMessage[];
  readonly answers: readonly PendingAnswer[];
  /** Why it could not be read. */
  readonly failure: RelayErrorCode | undefined;
  /** What was found that must not be: nothing more is shown or sent before the expert has decided. */
  readonly refusal: RelayErrorCode | undefined;
  /** Its messages can be read only with the expert key. */
  readonly needsKey: boolean;
  /** Ended in this browser. */
  readonly isEndedHere: boolean;
}

/** Opens the request: once for each expert key. */
export type Open = (signal: AbortSignal) => Promise<OpenRequest>;

export interface Conversation {
  readonly state: Store<ConversationState>;
  /** Reads it and keeps it up to date. Gives what ends that. With another `open` it is read anew. */
  follow(open: Open): () => void;
  /** After a failure or a refusal. */
  readAgain(): void;
  /** @throws RelayError */
  pickUp(): Promise<void>;
  /** What becomes of it is shown in `answers`. */
  send(text: string): Promise<void>;
  sendAgain(answer: PendingAnswer): Promise<void>;
  /** Takes out an answer that was refused. */
  discard(answer: PendingAnswer): Promise<void>;
  /** Ends it for both sides. @throws RelayError */
  close(): Promise<void>;
}

const snapshotMs = 500;
const retryMs = [2_000, 4_000, 8_000, 15_000, 30_000];

export function createConversation({
  requestId,
  storage,
}: {
  requestId: string;
  storage: Storage;
}): Conversation {
  const state = createStore<ConversationState>({
    request: undefined,
    messages: [],
    answers: [],
    failure: undefined,
    refusal: undefined,
    needsKey: false,
    isEndedHere: false,
  });
  const refusedName = `refused:${requestId}`;
  const endedName = `ended-here:${requestId}`;
  let opened: { readonly open: Open; readonly request: OpenRequest } | undefined;
  let wake = () => {};
  let retries = 0;
  let retryTimer: ReturnType<typeof setTimeout> | undefined;
  let key = 0;
  /** Answers that the SDK is at work on. */
  const inFlight = new Set<string>();

  const update = (change: Partial<ConversationState>) => state.set({ ...state.get(), ...change });

  const restored = Promise.all([storage.get(refusedName), storage.get(endedName)])
    .then(([refused, ended]) => {
      const kept: PendingAnswer[] = JSON.parse(refused ?? '[]');
      const answers = kept.map((answer) => ({ ...answer, key: nextKey(), after: 0 }));
      update({ answers: [...answers, ...state.get().answers], isEndedHere: ended !== undefined });
    })
    .catch(() => {});

  function nextKey(): string {
    key += 1;
    return `answer-${key}`;
  }

  async function run(open: Open, signal: AbortSignal): Promise<void> {
    await restored;
    for (let failures = 0; !signal.aborted; failures += 1) {
      try {
        if (opened?.open !== open) {
          const request = await open(signal);
          opened = { open, request };
          await collect(request, signal, true);
        } else await collect(opened.request, signal, false);
        return;
      } catch (error) {
        if (signal.aborted) return;
        const { code } = asRelayError(error);
        if (code === 'no_keys_yet') update({ needsKey: true });
        else if (isRefusal(code)) update({ refusal: code });
        else update({ failure: code });
        // The first two are over with another key or when the expert decides, which may be at once.
        const isPassing = code !== 'no_keys_yet' && code !== 'not_found' && !isRefusal(code);
        await pause(isPassing ? (retryMs[failures] ?? 30_000) : undefined, signal);
      }
    }
  }

  /** Takes the messages of a request as they come. */
  async function collect(request: OpenRequest, signal: AbortSignal, isNew: boolean): Promise<void> {
    let arrived: ExpertMessage[] = [];
    let known: readonly ExpertMessage[] = isNew ? [] : state.get().messages;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const iterator = request.messages[Symbol.asyncIterator]();
    const stop = () => void iterator.return?.();
    signal.addEventListener('abort', stop);
    const flush = () => {
      timer = undefined;
      if (arrived.length > 0) known = [...known, ...arrived];
      arrived = [];
      update({
        messages: known,
        failure: undefined,
        ...(isNew && { refusal: undefined, needsKey: false }),
      });
      take(request);
    };
    // All that was read already arrives before a timer, and is shown at once.
    timer = setTimeout(flush);
    const watch = setInterval(() => take(request), snapshotMs);
    try {
      for (let next = await iterator.next(); !next.done; next = await iterator.next()) {
        arrived.push(next.value);
        timer ??= setTimeout(flush);
      }
    } finally {
      clearTimeout(timer);
      clearInterval(watch);
      signal.removeEventListener('abort', stop);
      flush();
    }
  }

  /** Shows what the request is like now. */
  function take(request: OpenRequest): void {
    if (opened?.request !== request) return;
    const before = state.get();
    const view = viewOf(request);
    const hasEnded = view.status === 'closed' || view.status === 'expired';
    const answers = settle(before, request.unsent, hasEnded);
    const hasChanged = !before.request || names.some((name) => !isSame(before.request?.[name], view[name]));
    if (hasChanged || answers !== before.answers) {
      update({ request: hasChanged ? view : before.request, answers });
    }
    if (answers.some(({ delivery }) => delivery === 'waiting') && !hasEnded) retryLater();
  }

  /** Brings the answers that the list does not show in line with what it shows, and with what the SDK has not sent. */
  function settle(
    { answers, messages }: ConversationState,
    unsent: readonly string[],
    hasEnded: boolean,
  ): readonly PendingAnswer[] {
    const left = [...unsent];
    const settled: PendingAnswer[] = [];
    let hasChanged = false;
    for (const answer of answers) {
      const at = left.indexOf(answer.text);
      if (at >= 0 && answer.delivery !== 'refused') left.splice(at, 1);
      const next = settleOne(answer, at >= 0);
      if (next !== answer) hasChanged = true;
      if (next) settled.push(next);
    }
    // Begun before this page was loaded.
    for (const text of left) {
      hasChanged = true;
      const delivery = hasEnded ? 'refused' : 'waiting';
      settled.push({
        key: nextKey(),
        text,
        at: new Date().toISOString(),
        delivery,
        after: messages.length,
        ...(hasEnded && { code: 'conversation_closed' as const }),
      });
    }
    return hasChanged ? settled : answers;

    function settleOne(answer: PendingAnswer, isUnsent: boolean): PendingAnswer | undefined {
      if (answer.delivery === 'refused') return answer;
      if (inFlight.has(answer.key)) {
        const [first] = inFlight;
        const delivery = first === answer.key ? 'sending' : 'waiting';
        return delivery === answer.delivery ? answer : { ...answer, delivery };
      }
      if (isUnsent) {
        return hasEnded ? { ...answer, delivery: 'refused', code: 'conversation_closed' } : answer;
      }
      const isListed = messages.some(
        ({ role, text, messageId }, index) =>
          messageId === answer.messageId ||
          (!answer.messageId && role === 'provider' && text === answer.text && index >= answer.after),
      );
      if (isListed) return undefined;
      return answer.delivery === 'sent' ? answer : { ...answer, delivery: 'sent' };
    }
  }

  /** Sets waiting answers on their way again, also while the conversation is not on the screen. */
  function retryLater(): void {
    if (retryTimer !== undefined) return;
    retryTimer = setTimeout(retry, retryMs[Math.min(retries, retryMs.length - 1)]);
    retries += 1;
  }

  async function retry(): Promise<void> {
    clearTimeout(retryTimer);
    retryTimer = undefined;
    const request = opened?.request;
    if (!request || !state.get().answers.some(({ delivery }) => delivery === 'waiting')) return;
    await request.refresh().then(
      () => {
        retries = 0;
      },
      () => {},
    );
    take(request);
  }
  globalThis.addEventListener?.('online', () => void retry());

  function change(key: string, changes: Partial<PendingAnswer>): void {
    const answers = state
      .get()
      .answers.map((answer) => (answer.key === key ? { ...answer, ...changes } : answer));
    update({ answers });
    if (opened) take(opened.request);
  }

  async function keepRefused(): Promise<void> {
    const refused = state.get().answers.filter(({ delivery }) => delivery === 'refused');
    if (refused.length > 0) await storage.set(refusedName, JSON.stringify(refused));
    else await storage.delete(refusedName);
  }

  async function send(text: string): Promise<void> {
    const request = opened?.request;
    if (!request) return;
    const { answers, messages } = state.get();
    const answer: PendingAnswer = {
      key: nextKey(),
      text,
      at: new Date().toISOString(),
      delivery: inFlight.size === 0 ? 'sending' : 'waiting',
      after: messages.length,
    };
    inFlight.add(answer.key);
    update({ answers: [...answers, answer] });
    try {
      const { messageId, isSent } = await request.answer(text, { plaintext: !request.encrypted });
      inFlight.delete(answer.key);
      change(answer.key, { delivery: isSent ? 'sent' : 'waiting', messageId });
    } catch (error) {
      inFlight.delete(answer.key);
      const { code } = asRelayError(error);
      const isKept = request.unsent.includes(text);
      change(answer.key, isKept ? { delivery: 'waiting' } : { delivery: 'refused', code });
      if (isRefusal(code)) update({ refusal: code });
      if (!isKept) await keepRefused();
    }
  }

  async function discard({ key, text }: PendingAnswer): Promise<void> {
    update({ answers: state.get().answers.filter((answer) => answer.key !== key) });
    if (opened?.request.unsent.includes(text)) await opened.request.discard();
    await keepRefused();
  }

  function pause(wait: number | undefined, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const timer = wait === undefined ? undefined : setTimeout(resolve, wait);
      signal.addEventListener('abort', () => resolve(), { once: true });
      wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  return {
    state,
    send,
    discard,
    follow(open) {
      const stopped = new AbortController();
      void run(open, stopped.signal);
      return () => stopped.abort();
    },
    readAgain() {
      opened = undefined;
      update({ failure: undefined, refusal: undefined });
      wake();
    },
    async pickUp() {
      const request = opened?.request;
      if (!request) return;
      try {
        await request.pickUp();
      } catch (error) {
        const { code } = asRelayError(error);
        if (isRefusal(code)) update({ refusal: code });
        throw error;
      } finally {
        take(request);
      }
    },
    async sendAgain(answer) {
      const sending = discard(answer).then(() => send(answer.text));
      await sending;
    },
    async close() {
      const request = opened?.request;
      if (!request) return;
      await request.close();
      update({ isEndedHere: true });
      take(request);
      await storage.set(endedName, 'yes');
    },
  };
}

const names = [
  'agent',
  'refCode',
  'status',
  'createdAt',
  'expiresAt',
  'erasedAt',
  'question',
  'context',
  'plaintext',
  'encrypted',
  'isPickedUp',
] as const;

const viewOf = (request: OpenRequest): RequestView =>
  Object.fromEntries(names.map((name) => [name, request[name]])) as unknown as RequestView;

const isSame = (one: unknown, other: unknown): boolean =>
  one === other || (typeof one === 'object' && JSON.stringify(one) === JSON.stringify(other));

function asRelayError(error: unknown): RelayError {
  return error instanceof RelayError ? error : new RelayError('unexpected_answer', String(error));
}
