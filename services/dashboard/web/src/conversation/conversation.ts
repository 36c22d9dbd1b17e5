import { RelayError } from '@expert-relay/sdk';
import type { Storage } from '../storage/storage.ts';
import { createStore, type Store } from '../ui/store.ts';
import {
  type ConversationState,
  isSameView,
  type OpenRequest,
  type PendingAnswer,
  settleAnswers,
  viewOf,
} from './conversation-state.ts';
import { followMessages } from './follow-messages.ts';
import { codeOf, isRefusal } from './refusal-sentences.ts';
import { createPause, createRetry, retryDelay } from './retry.ts';

/** Opens the request: once for each expert key. */
export type Open = (signal: AbortSignal) => Promise<OpenRequest>;

export interface Conversation {
  readonly state: Store<ConversationState>;
  /** Reads the request and keeps it up to date until the returned function is called. Another `open` reads it again from the start. */
  follow(open: Open): () => void;
  /** After a failure or a refusal. */
  readAgain(): void;
  /** @throws RelayError */
  pickUp(): Promise<void>;
  /** The delivery state is in `answers`. `onKept` is called once the answer is stored: it is then sent even if the page is closed. */
  send(text: string, onKept?: () => void): Promise<void>;
  sendAgain(answer: PendingAnswer): Promise<void>;
  /** Takes out an answer that was refused. */
  discard(answer: PendingAnswer): Promise<void>;
  /** Ends it for both sides. @throws RelayError */
  close(): Promise<void>;
}

const snapshotMs = 500;

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
  const pause = createPause();
  let isOutdated = false;
  /** How the request is opened with the current expert key. */
  let wanted: Open | undefined;
  let running: AbortController | undefined;
  const waiting: ((request: OpenRequest) => void)[] = [];
  let key = 0;
  const nextKey = () => `answer-${++key}`;
  /** Keys of the answers that the SDK is sending. */
  const inFlight = new Set<string>();

  const update = (change: Partial<ConversationState>) => state.set({ ...state.get(), ...change });

  const restored = Promise.all([storage.get(refusedName), storage.get(endedName)])
    .then(([refused, ended]) => {
      const kept: PendingAnswer[] = JSON.parse(refused ?? '[]');
      const answers = kept.map((answer) => ({ ...answer, key: nextKey(), after: 0 }));
      update({ answers: [...answers, ...state.get().answers], isEndedHere: ended !== undefined });
    })
    .catch(() => {});

  /** The request, once it is open with the current expert key. */
  async function untilOpen(): Promise<OpenRequest> {
    // After a change of the key a component may call this before `follow` is called with the new one.
    await Promise.resolve();
    if (opened && opened.open === wanted && !isOutdated) return opened.request;
    return new Promise((resolve) => waiting.push(resolve));
  }

  async function run(open: Open, signal: AbortSignal): Promise<void> {
    await restored;
    for (let failures = 0; !signal.aborted; failures += 1) {
      try {
        if (opened?.open !== open || isOutdated) {
          const request = await open(signal);
          if (signal.aborted) return;
          opened = { open, request };
          isOutdated = false;
          if (open === wanted) for (const resolve of waiting.splice(0)) resolve(request);
          await collect(request, signal, true);
        } else await collect(opened.request, signal, false);
        return;
      } catch (error) {
        if (signal.aborted) return;
        const code = codeOf(error);
        if (code === 'no_keys_yet') update({ needsKey: true });
        else if (isRefusal(code)) update({ refusal: code });
        else update({ failure: code });
        // A missing key and a refusal need the expert: no retry.
        const isPassing = code !== 'no_keys_yet' && code !== 'not_found' && !isRefusal(code);
        await pause.wait(isPassing ? retryDelay(failures) : undefined, signal);
      }
    }
  }

  async function collect(request: OpenRequest, signal: AbortSignal, isNew: boolean): Promise<void> {
    let messages = isNew ? [] : state.get().messages;
    const watch = setInterval(() => take(request), snapshotMs);
    signal.addEventListener('abort', () => clearInterval(watch));
    try {
      await followMessages(request, signal, (arrived) => {
        if (opened?.request !== request) return;
        if (arrived.length > 0) messages = [...messages, ...arrived];
        update({ messages, failure: undefined, ...(isNew && { refusal: undefined, needsKey: false }) });
        take(request);
      });
    } finally {
      clearInterval(watch);
    }
  }

  /** Copies the request's present state into the store. */
  function take(request: OpenRequest): void {
    if (opened?.request !== request) return;
    const before = state.get();
    const view = viewOf(request);
    const hasEnded = view.status === 'closed' || view.status === 'expired';
    const answers = settleAnswers(before, { unsent: request.unsent, inFlight, hasEnded });
    const hasChanged = !isSameView(before.request, view);
    if (hasChanged || answers !== before.answers) {
      update({ request: hasChanged ? view : before.request, answers });
    }
    if (answers.some(({ delivery }) => delivery === 'waiting') && !hasEnded) retry.later();
    else retry.cancel();
  }

  /** Retries answers that are waiting, also while the conversation is not shown. */
  const retry = createRetry(async () => {
    const request = opened?.request;
    if (!request) return;
    try {
      await request.refresh();
    } finally {
      take(request);
    }
  });

  function change(key: string, changes: Partial<PendingAnswer>): void {
    const { answers } = state.get();
    update({ answers: answers.map((answer) => (answer.key === key ? { ...answer, ...changes } : answer)) });
    if (opened) take(opened.request);
  }

  async function keepRefused(): Promise<void> {
    const refused = state.get().answers.filter(({ delivery }) => delivery === 'refused');
    // An answer that cannot be stored is still shown.
    await storage.set(refusedName, JSON.stringify(refused)).catch(() => {});
  }

  async function send(text: string, onKept?: () => void): Promise<void> {
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
    const request = await untilOpen();
    try {
      // An agent that wants encryption never gets plain text.
      if (request.encrypted && !request.isPickedUp) throw new RelayError('no_keys_yet', 'Not picked up.');
      const { messageId, isSent } = await request.answer(text, {
        plaintext: !request.encrypted,
        ...(onKept && { onKept }),
      });
      inFlight.delete(answer.key);
      change(answer.key, { delivery: isSent ? 'sent' : 'waiting', messageId });
    } catch (error) {
      inFlight.delete(answer.key);
      const code = codeOf(error);
      const isKept = request.unsent.includes(text);
      change(answer.key, isKept ? { delivery: 'waiting' } : { delivery: 'refused', code });
      if (isRefusal(code)) update({ refusal: code });
      if (!isKept) await keepRefused();
    }
  }

  async function takeOut({ key, text }: PendingAnswer): Promise<void> {
    update({ answers: state.get().answers.filter((answer) => answer.key !== key) });
    if (opened?.request.unsent.includes(text)) await opened.request.discard().catch(() => {});
  }

  return {
    state,
    send,
    discard: (answer) => takeOut(answer).then(keepRefused),
    follow(open) {
      wanted = open;
      // Two runs at once would share the messages of one iterator.
      running?.abort();
      const stopped = new AbortController();
      running = stopped;
      void run(open, stopped.signal);
      return () => {
        // An answer that waits for the request is handed over first.
        if (waiting.length === 0) stopped.abort();
        else waiting.push(() => setTimeout(() => stopped.abort()));
      };
    },
    readAgain() {
      isOutdated = true;
      update({ failure: undefined, refusal: undefined });
      pause.wake();
    },
    async pickUp() {
      const request = await untilOpen();
      try {
        await request.pickUp();
      } catch (error) {
        const code = codeOf(error);
        if (isRefusal(code)) update({ refusal: code });
        throw error;
      } finally {
        take(request);
      }
    },
    async sendAgain(answer) {
      await takeOut(answer);
      // Storage keeps the refused answer until the text is kept again.
      await send(answer.text, keepRefused);
      await keepRefused();
    },
    async close() {
      const request = await untilOpen();
      await request.close();
      update({ isEndedHere: true });
      take(request);
      await storage.set(endedName, 'yes');
    },
  };
}
