import { RelayError } from '@expert-relay/sdk';
import { isRefusal } from '@expert-relay/sdk/internal';
import { type AttachedFiles, createAttachedFiles } from '../forms/attached-files.ts';
import type { Storage } from '../storage/storage.ts';
import type { UnsentState } from '../storage/unsent.ts';
import { createStore, type Store } from '../ui/store.ts';
import type { AnswerContent } from './answer-content.ts';
import { createAnswering } from './answering.ts';
import {
  type ConversationExpert,
  type ConversationState,
  isSameView,
  type RequestHandle,
  viewOf,
} from './conversation-state.ts';
import { codeOf } from './failure-codes.ts';
import { followMessages } from './follow-messages.ts';
import { createPause, retryDelay } from './retry.ts';
import { createShownTexts } from './shown-texts.ts';
import type { Undo } from './undo.ts';

export interface Conversation {
  readonly state: Store<ConversationState>;
  /**
   * Reads the request and keeps it up to date until the returned function is called. An expert with another key reads it again from the
   * start.
   */
  follow(expert: ConversationExpert): () => void;
  /** Whether it is kept up to date. */
  isFollowed(): boolean;
  /** Tries again after a failure or a refusal. */
  retry(): void;
  /** Reads it again, since another tab has changed the answers that wait. */
  readAgain(): void;
  /** Files that the expert has attached to the next answer. */
  readonly files: AttachedFiles;
  /** @throws RelayError */
  pickUp(): Promise<void>;
  /** `onStored` is called once the answer is stored: then it is sent even if the page is closed. Rejects if it was not stored. */
  send(content: AnswerContent, onStored?: () => void): Promise<void>;
  /** Sends the answer that was not sent, as it was written. */
  sendAgain(): Promise<void>;
  /** Removes it. Returns false if the relay has it. @throws RelayError when that cannot be found out */
  remove(): Promise<boolean>;
  /** Notes that the expert was shown the end of a text: see `shown-texts`. */
  markShown(name: string): void;
  /** Notes whether the end of a text that was not shown yet is in view. */
  markInView(name: string, isInView: boolean): void;
  /** Ends it for both sides. The agent is shown the reason. @throws RelayError */
  close(reason?: string): Promise<void>;
}

/** How often the state of the SDK's request is copied into the store: the SDK reports no change of it. */
const snapshotMs = 500;

interface ConversationOptions {
  readonly requestId: string;
  readonly storage: Storage;
  /** Notes whether an answer was not sent. */
  readonly onUnsent?: (state: UnsentState | undefined) => void;
  /** Begins the time in which a decision can be taken back. Without it, decisions are sent at once. */
  readonly createUndo?: (requestId: string) => Undo;
  readonly read: (expert: ConversationExpert, signal: AbortSignal) => Promise<RequestHandle>;
  /** Reads the expert key again, since another device may have replaced it, and returns whether it is in this browser. */
  readonly hasNewestKey: () => Promise<boolean>;
}

export function createConversation({
  requestId,
  storage,
  onUnsent = () => {},
  createUndo,
  read,
  hasNewestKey,
}: ConversationOptions): Conversation {
  const state = createStore<ConversationState>({
    request: undefined,
    messages: [],
    pending: undefined,
    sent: [],
    notTaken: undefined,
    shown: new Set(),
    inView: new Set(),
    failure: undefined,
    refusal: undefined,
    needsKey: false,
  });
  /** What was read, and by whom. */
  let current: { readonly expert: ConversationExpert; readonly request: RequestHandle } | undefined;
  const pause = createPause();
  let isOutdated = false;
  let stopCollecting = () => {};
  /** The expert with the current key. */
  let expertNow: ConversationExpert | undefined;
  let running: AbortController | undefined;
  const readers: ((request: RequestHandle) => void)[] = [];

  const update = (change: Partial<ConversationState>) => state.set({ ...state.get(), ...change });

  const answering = createAnswering({
    requestId,
    state,
    untilCanSend,
    request: () => current?.request,
    refreshView() {
      if (current) copyState(current.request);
    },
    readAgain,
    expert: () => expertNow,
    createUndo,
  });

  function readAgain(): void {
    isOutdated = true;
    stopCollecting();
    // After a refusal it is read only when the expert has decided that: `retry`.
    if (!state.get().refusal) pause.wake();
  }

  let wasPending = false;

  /** Only changes of this page: what another tab has noted stays. */
  function noteUnsent(): void {
    const { pending } = state.get();
    // No other tab need know what can be taken back here.
    if (pending?.canUndo) return;
    if (pending || wasPending || current)
      onUnsent(pending && (pending.state === 'sending' ? 'sending' : 'unsent'));
    wasPending = pending !== undefined;
  }

  const shownTexts = createShownTexts({ requestId, storage, state });

  const restored = shownTexts.restored.catch(() => {}).then(() => state.subscribe(noteUnsent));

  /** The request, once it was read with the current expert key. */
  async function untilRead(): Promise<RequestHandle> {
    // After a change of the key a component may call this before `follow` is called with the new one.
    await Promise.resolve();
    if (current && current.expert === expertNow && !isOutdated) return current.request;
    return new Promise((resolve) => readers.push(resolve));
  }

  /** The same for what picks it up, which is not done with a key that another device has replaced. */
  async function untilCanSend(): Promise<RequestHandle> {
    const request = await untilRead();
    if (!request.encrypted || request.isPickedUp) return request;
    if (!(await hasNewestKey()))
      throw new RelayError('no_keys_yet', 'The expert key is not in this browser.');
    return untilRead();
  }

  async function run(expert: ConversationExpert, signal: AbortSignal): Promise<void> {
    await restored;
    let failures = 0;
    while (!signal.aborted) {
      try {
        if (current?.expert !== expert || isOutdated) {
          const request = await read(expert, signal);
          if (signal.aborted) return;
          current = { expert, request };
          failures = 0;
          isOutdated = false;
          if (expert === expertNow) for (const resolve of readers.splice(0)) resolve(request);
          await collect(request, signal, true);
        } else await collect(current.request, signal, false);
        // After `readAgain` it is read at once: answers wait for it. One that has ended may be read again later.
        if (!isOutdated) await pause.wait(undefined, signal);
      } catch (error) {
        if (signal.aborted) return;
        const code = codeOf(error);
        if (current?.expert === expert && !isOutdated) copyState(current.request);
        if (code === 'no_keys_yet') update({ needsKey: true });
        else if (isRefusal(error)) update({ refusal: code });
        else update({ failure: code });
        if (!current && code === 'not_found') await answering.showStored(code).catch(() => {});
        // A missing key and a refusal need the expert: no retry.
        const isTemporary = code !== 'no_keys_yet' && code !== 'not_found' && !isRefusal(error);
        await pause.wait(isTemporary ? retryDelay(failures) : undefined, signal);
        failures += 1;
      }
    }
  }

  async function collect(request: RequestHandle, signal: AbortSignal, isNew: boolean): Promise<void> {
    let messages = isNew ? [] : state.get().messages;
    const stopped = new AbortController();
    stopCollecting = () => stopped.abort();
    signal.addEventListener('abort', stopCollecting, { signal: stopped.signal });
    const watch = setInterval(() => copyState(request), snapshotMs);
    stopped.signal.addEventListener('abort', () => clearInterval(watch));
    try {
      await followMessages(request, stopped.signal, (arrived) => {
        if (current?.request !== request) return;
        // Then "seen your last" would be about an answer that the agent was never sent.
        const hasUnsent = request.pending.length > 0;
        const known = hasUnsent ? arrived.map((one) => ({ ...one, seenYourLast: undefined })) : arrived;
        if (arrived.length > 0) messages = [...messages, ...known];
        update({ messages, failure: undefined, ...(isNew && { refusal: undefined, needsKey: false }) });
        copyState(request);
      });
    } finally {
      stopped.abort();
    }
  }

  /** Copies the state of the request into the store. */
  function copyState(request: RequestHandle): void {
    if (current?.request !== request || isOutdated) return;
    const view = viewOf(request);
    if (!isSameView(state.get().request, view)) update({ request: view });
    answering.updateAnswers(request);
  }

  return {
    state,
    files: createAttachedFiles(requestId, storage),
    send: answering.send,
    sendAgain: answering.sendAgain,
    remove: answering.remove,
    markShown: shownTexts.markShown,
    markInView: shownTexts.markInView,
    follow(expert) {
      expertNow = expert;
      // Two runs would share one iterator, and each would miss messages.
      running?.abort();
      const stopped = new AbortController();
      running = stopped;
      void run(expert, stopped.signal);
      return () => {
        // An answer that waits for the request is given to the SDK first.
        if (readers.length === 0) stopped.abort();
        else readers.push(() => setTimeout(() => stopped.abort()));
      };
    },
    isFollowed: () => running !== undefined && !running.signal.aborted,
    readAgain,
    retry() {
      update({ failure: undefined, refusal: undefined });
      readAgain();
    },
    async pickUp() {
      const request = await untilCanSend();
      try {
        await request.pickUp();
      } catch (error) {
        const code = codeOf(error);
        if (isRefusal(error)) update({ refusal: code });
        throw error;
      } finally {
        copyState(request);
      }
    },
    async close(reason) {
      const request = await untilRead();
      await request.close({ reason });
      copyState(request);
    },
  };
}
