import { createQueue } from '../crypto/queue.ts';
import { RelayError } from '../relay-error.ts';
import type { Store } from '../store.ts';
import type { Draft, ExpertOutbox } from '../thread/outbox.ts';

/**
 * The answer of a request that was not sent yet, one at a time: in a signed-in expert's store, which all tabs of the browser share. What
 * was encrypted is stored beside it before it is sent, so that every tab sends the same bytes. Both are deleted once the relay has it.
 */
export function createPendingStore(store: Store, requestId: string): ExpertOutbox {
  const queue = createQueue();
  const name = nameOf(requestId);
  /** The answer that this client has stored or found here. */
  let own: { readonly messageId: string; readonly json: string } | undefined;

  const isKept = async (messageId: string) => (await readPending(store, requestId))?.messageId === messageId;

  return {
    kind: 'expert',
    read: () =>
      queue(async () => {
        const draft = await readPending(store, requestId);
        own = draft && { messageId: draft.messageId, json: JSON.stringify(draft) };
        return { drafts: draft ? [draft] : [], accepted: [] };
      }),
    save: ([draft]) =>
      queue(async () => {
        if (own && own.messageId !== draft?.messageId) {
          const { messageId } = own;
          own = undefined;
          if (await isKept(messageId)) await store.delete(name);
          await store.delete(sealedName(messageId));
        }
        if (!draft) return;
        const { messageId } = draft;
        const json = JSON.stringify(draft);
        // Answers with files are large, and this runs at each attempt to send them.
        if (own?.json === json) return;
        if (!own) {
          const first: Draft = JSON.parse(await store.remember(name, json));
          if (first.messageId !== messageId) throw anotherWaits();
        } else if (await isKept(messageId)) await store.set(name, json);
        own = { messageId, json };
      }),
    async claim(messageId, sealed) {
      if (!(await isKept(messageId))) return null;
      const json = JSON.stringify(sealed);
      const first = await store.remember(sealedName(messageId), json);
      // The caller was the first if it gets its own object.
      return first === json ? sealed : JSON.parse(first);
    },
    async stateOf(messageId) {
      if (!(await isKept(messageId))) return undefined;
      return (await store.get(sealedName(messageId))) === undefined ? 'stored' : 'encrypted';
    },
  };
}

const nameOf = (requestId: string) => `pending:${requestId}`;
const sealedName = (messageId: string) => `sealed:${messageId}`;

export async function readPending(store: Store, requestId: string): Promise<Draft | undefined> {
  const json = await store.get(nameOf(requestId));
  return json === undefined ? undefined : JSON.parse(json);
}

export async function removePending(store: Store, requestId: string): Promise<void> {
  const draft = await readPending(store, requestId);
  await store.delete(nameOf(requestId));
  if (draft) await store.delete(sealedName(draft.messageId));
}

const anotherWaits = () =>
  new RelayError(
    'conflict',
    'Not sent: another tab has stored an answer to this request. Send or discard it first.',
  );
