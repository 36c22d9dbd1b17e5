import type { UnsentAnswer } from '@expert-relay/sdk/expert';
import { inOneTab } from '../live/in-one-tab.ts';
import type { Storage } from '../storage/storage.ts';
import type { Store } from '../ui/store.ts';
import type { ConversationState, OpenRequest, PendingAnswer } from './conversation-state.ts';
import type { FailureCode } from './refusal-sentences.ts';
import { createRefusedStore } from './refused-store.ts';

interface RefusedOptions {
  readonly requestId: string;
  readonly storage: Storage;
  readonly state: Store<ConversationState>;
  /** Keys of the answers that the expert has removed. */
  readonly removed: Set<string>;
}

/** For how long a tab may hand an answer over to the SDK. */
const maxHandingOverMs = 10_000;

/** The answers of a conversation that were refused: in its state, and in the storage, which all tabs share. */
export function createRefusedAnswers({ requestId, storage, state, removed }: RefusedOptions) {
  const store = createRefusedStore(storage, requestId);
  const setAnswers = (answers: readonly PendingAnswer[]) => state.set({ ...state.get(), answers });

  /** Shows what other tabs have stored, and no longer what they have sent again or removed. */
  async function restore(): Promise<void> {
    const { added, gone } = await store.restore();
    if (added.length + gone.size === 0) return;
    const keys = added.map(({ key }) => key);
    const isLeft = ({ key, delivery }: PendingAnswer) =>
      !keys.includes(key) && (delivery !== 'refused' || !gone.has(key));
    setAnswers([...added.filter(({ key }) => !removed.has(key)), ...state.get().answers.filter(isLeft)]);
  }

  /** What was removed, in any tab, while the SDK was sending it: the SDK still has it. */
  async function readRemoved(): Promise<void> {
    for (const key of await store.readRemoved()) removed.add(key);
  }

  /**
   * Moves an answer from the SDK. `encrypted`: the SDK cannot discard it before the request is opened again. `kept`: it could not
   * be stored, so the SDK has it.
   */
  async function move(
    request: OpenRequest,
    answer: PendingAnswer,
    messageId: string,
  ): Promise<'moved' | 'kept' | 'encrypted'> {
    const refused: PendingAnswer = { ...answer, key: messageId, messageId, delivery: 'refused' };
    // It is stored here before the SDK deletes it. What cannot be stored stays with the SDK.
    const isStored = await store.add([refused]).then(
      () => true,
      () => false,
    );
    if (isStored) await request.discard([messageId]).catch(() => {});
    if (!request.unsentAnswers.some((one) => one.messageId === messageId)) {
      const others = state.get().answers.filter(({ key }) => key === answer.key || key !== messageId);
      setAnswers(others.map((one) => (one.key === answer.key ? refused : one)));
      return 'moved';
    }
    return isStored ? 'encrypted' : 'kept';
  }

  /** Gives an answer to the SDK again, in one tab. The storage has it until `give` reports that the SDK has stored it. */
  async function handOver(answer: PendingAnswer, give: (kept: () => void) => Promise<void>): Promise<void> {
    let given: Promise<void> | undefined;
    await inOneTab(`send-again:${requestId}:${answer.key}`, maxHandingOverMs, async () => {
      // Another tab has sent it again or removed it.
      if (store.wasStored(answer.key) && !(await store.has(answer.key))) return;
      const remove = () => store.remove(answer.key).catch(() => {});
      await new Promise<void>((resolve) => {
        const kept = () => void remove().then(resolve);
        given = give(kept).finally(kept);
      });
    });
    await given;
  }

  /** The request cannot be opened any more: what was written for it is kept for the expert. */
  async function keepUnsendable(unsent: readonly UnsentAnswer[], code: FailureCode): Promise<void> {
    const at = new Date().toISOString();
    const refused = unsent.map(
      ({ isHeld: _, ...answer }): PendingAnswer => ({
        ...answer,
        key: answer.messageId,
        at,
        code,
        after: 0,
        shown: [],
        delivery: 'refused',
      }),
    );
    await store.add(refused);
    const ids = refused.map(({ key }) => key);
    const others = state.get().answers.filter(({ key, messageId = key }) => !ids.includes(messageId));
    setAnswers([...refused, ...others]);
  }

  return { store, restore, readRemoved, move, handOver, keepUnsendable };
}
