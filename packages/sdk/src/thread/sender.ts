import { missing } from '../crypto/history.ts';
import { createQueue } from '../crypto/queue.ts';
import { hasCode, RelayError } from '../relay-error.ts';
import { type Api, isTransient } from '../transport/api.ts';
import { members } from '../transport/shape.ts';
import { orAbort, startTimer, throwIfAborted } from '../transport/waiting.ts';
import { areSame, hasAnswer, readSaved, savedParts } from './message-parts.ts';
import type { Draft, Outbox } from './outbox.ts';
import { checkMessage, makeParts } from './parts-to-send.ts';
import type { Outgoing, Sender, SenderState } from './sending.ts';
import type { Thread } from './thread.ts';

export interface SenderOptions {
  readonly api: Api;
  readonly thread: Thread;
  /** Whether texts are sent as plain text. */
  readonly isPlain: () => boolean;
  /** Runs before a text is encrypted. */
  readonly prepare: (signal: AbortSignal | undefined) => Promise<void>;
  /** Saves the state. A text is sent only after it was saved. */
  readonly save: () => Promise<void>;
  readonly outbox?: Outbox | undefined;
  /** How long an answer to a form is sent without asking its author again. Only experts write such answers. */
  readonly decisionLastsMs?: number | undefined;
  readonly state?: SenderState | undefined;
}

/**
 * The life of a text. Only those of experts are held or refused. One that is gone is in none of these places.
 *
 *   held ◄──► waiting ──► outgoing ──► sent      outgoing ──► held, refused
 *
 * | State    | What holds it            | What leads out of it                                                                                 |
 * |----------|--------------------------|------------------------------------------------------------------------------------------------------|
 * | waiting  | `drafts`                 | `seal`, when `canSeal`: outgoing, or gone if another client has discarded it. `isHeld`: held         |
 * | held     | `drafts`, while `isHeld` | `send` of an equal text: waiting, with another `shown`, `isHeldIfNewer` and `decidedAt`              |
 * | outgoing | `outgoing`               | The relay takes it: sent. `isWanted`, before it is sent again: held, its body in `encrypted`.        |
 * |          |                          | The relay refuses its content: refused, or without an outbox gone. One that others link to stays     |
 * | refused  | `refused`, the outbox    | A restart: waiting, like all that the outbox has                                                     |
 * | sent     | `accepted`, or the list  | Nothing                                                                                              |
 * | claimed  | `drafts` and `claimed`   | With `claimSends`, in place of outgoing, held and refused. `seal` sends it, or the list shows that   |
 * |          |                          | another process did: sent. Else it stays, and the next `flush` seals it again                        |
 *
 * In each state, a list that shows the text makes it sent, and `discard` removes it: an outgoing one only after the end. A `send` that
 * is aborted, or for an expert fails for good, removes its text unless that is outgoing or claimed. After an abort, one that was held is
 * held again, unless it has got a new id.
 */
export function createSender(options: SenderOptions): Sender {
  const { api, thread, isPlain, prepare, save, outbox, decisionLastsMs = 0, state } = options;
  const { role } = thread.side;
  const queue = createQueue();
  let drafts = state?.drafts ?? [];
  let outgoing = state?.outgoing;
  /** Texts that the relay refused because of their content. */
  let refused: readonly Draft[] = [];
  /** The ids of texts that the relay has accepted. The list may not show them yet. */
  const accepted = new Set<string>();
  /** Texts whose claiming has begun: the relay may have them. */
  const claimed = new WeakSet<Draft>();
  /** Texts that were encrypted and are held: if they are sent, then as they are, since the relay may have them. */
  const encrypted = new WeakMap<Draft, object>();
  /** When this process was given each answer to a form, in milliseconds since 1970. */
  const decidedAt = new WeakMap<Draft, number>();

  // The list may show a message before the call that sent it is answered.
  const isUnsent = ({ messageId }: Draft) => !accepted.has(messageId) && !thread.has(messageId);
  const unsent = () => [...(outgoing ? [outgoing.draft] : []), ...refused, ...drafts].filter(isUnsent);
  const saveUnsent = async () => outbox?.save(unsent(), (draft) => !isUnsent(draft));

  /** A decision from before a restart, or from some time ago: its author may decide otherwise now. */
  const isOld = (draft: Draft) =>
    hasAnswer(draft.parts) && Date.now() - (decidedAt.get(draft) ?? 0) > decisionLastsMs;
  const isHeld = (draft: Draft) =>
    isOld(draft) || (draft.isHeldIfNewer === true && thread.hasNewerThan(draft.shown));
  const canSeal = (draft: Draft) =>
    (isPlain() ? draft.isPlain !== false : thread.channel !== undefined) && !isHeld(draft);
  const heldDrafts = () => drafts.filter((draft) => isUnsent(draft) && isHeld(draft));
  // An expert does not wait for keys: the expert's client sends them.
  const isDue = () =>
    outgoing !== undefined || drafts.some((draft) => (role === 'provider' ? !isHeld(draft) : canSeal(draft)));

  /** What the list shows was sent before a restart, or by another process. */
  function nextDraft(): Draft | undefined {
    drafts = drafts.filter(isUnsent);
    return drafts.find(canSeal);
  }

  function drop(draft: Draft): void {
    drafts = drafts.filter((one) => one !== draft);
    refused = refused.filter((one) => one !== draft);
  }

  async function seal(draft: Draft, signal: AbortSignal | undefined): Promise<void> {
    const { messageId, text } = draft;
    let isOthers = false;
    const claim = async <T extends object>(sealed: T): Promise<T | null> => {
      const before = encrypted.get(draft) as T | undefined;
      const first = outbox ? await outbox.claim(messageId, sealed, signal) : (before ?? sealed);
      isOthers = first !== sealed;
      return first;
    };
    const take = (sealed: object | null) => {
      if (outbox?.claimSends) return void (sealed && accepted.add(messageId));
      drop(draft);
      outgoing = sealed ? { draft, body: { role, ...sealed }, isOthers } : undefined;
    };
    if (outbox?.claimSends) claimed.add(draft);
    thread.checkOpen();
    if (isPlain()) {
      const { answer } = readSaved(draft.parts, role);
      take(await claim({ messageId, plaintext: text, answer: answer?.json }));
    } else await thread.seal(draft, claim, take);
    // Another client has encrypted what was sent: the next message links to it.
    if (outbox?.claimSends && isOthers) await thread.read(signal).catch(() => {});
  }

  /** Whether a text must be sent again. The list may have it, or something newer: then it is held, and its author decides. */
  async function isWanted({ draft, body, isOthers }: Outgoing, signal: AbortSignal | undefined) {
    if (!draft.isHeldIfNewer && !hasAnswer(draft.parts)) return true;
    await thread.read(signal);
    if (isUnsent(draft)) {
      if (!isHeld(draft)) return true;
      // The other side has it already.
      if (!isOthers && !(await thread.forget(draft.messageId))) return true;
      encrypted.set(draft, body);
      drafts = [draft, ...drafts];
    }
    outgoing = undefined;
    return false;
  }

  async function post(signal: AbortSignal | undefined, isAgain = false): Promise<void> {
    if (!outgoing) return;
    const sending = outgoing;
    const { draft, body, isOthers } = sending;
    const again = () => isWanted(sending, signal);
    if (isAgain && !(await again())) return;
    try {
      await api.post(`/api/v1/message/${thread.requestId}`, body, members, signal, undefined, again);
    } catch (error) {
      if (!outgoing) return;
      // A text that is refused for its content would block all others. One that was encrypted here stays: others link to it.
      if (
        ('plaintext' in body || isOthers) &&
        hasCode(error, 'invalid_input', 'message_too_large', 'conflict')
      ) {
        if (outbox) refused = [...refused, draft];
        outgoing = undefined;
      }
      throw error;
    }
    accepted.add(draft.messageId);
    outgoing = undefined;
    // The next message links to it. It was sent, whatever fails here.
    if (isOthers) await thread.read(signal).catch(() => {});
  }

  async function flush(signal?: AbortSignal, onKept?: () => void): Promise<void> {
    await saveUnsent();
    if (outbox) onKept?.();
    const sent = queue(async () => {
      if (thread.refusal) throw thread.refusal;
      // After a restart nothing is sent before the list was read: its check may refuse this conversation.
      if (isDue() && !thread.head) await thread.read(signal);
      if (drafts.length > 0) await prepare(signal);
      // Saving it may have failed before.
      if (outgoing) await save();
      await post(signal, true);
      for (let next = nextDraft(); next; next = nextDraft()) {
        throwIfAborted(signal);
        await seal(next, signal);
        // Another client has sent or discarded it: the list shows which.
        if (!outgoing && isUnsent(next)) {
          await thread.read(signal);
          if (outbox?.claimSends && isUnsent(next)) {
            const { drafts: waiting } = await outbox.recall();
            if (waiting.some(({ messageId }) => messageId === next.messageId)) throw notListed();
            drop(next);
          }
        }
        await save();
        await post(signal);
      }
      await save();
      await saveUnsent();
    });
    // Before its turn, another call may go on for longer than this one may take.
    await orAbort(signal, sent);
  }

  return {
    get state() {
      return { outgoing, drafts: drafts.filter(isUnsent) };
    },
    get unsent() {
      return unsent();
    },
    get held() {
      return heldDrafts();
    },
    get hasDrafts() {
      return drafts.some(isUnsent);
    },
    get isDue() {
      return isDue();
    },
    async send(text, { signal, shown, isHeldIfNewer, onKept, ...content }) {
      const now = Date.now();
      const named = thread.nameShown(shown);
      const making = makeParts(content);
      const parts = 'then' in making ? await making : making;
      checkMessage(text, parts, thread.side, isPlain());
      throwIfAborted(signal);
      thread.checkOpen();
      const saved = savedParts(parts);
      const held = heldDrafts().find(
        (one) => one.text === text && one.isPlain === isPlain() && areSame(saved, one.parts),
      );
      if (held) drop(held);
      // Encrypted before it was held, it would have the links of then: the other side would take it for one that is out of date.
      const isSame = held && (isPlain() || !isHeldIfNewer || !thread.hasNewerThan(held.shown));
      const draft: Draft = isSame
        ? held
        : {
            messageId: crypto.randomUUID(),
            text,
            isPlain: isPlain(),
            shown: [],
            ...(saved.length > 0 && { parts: saved }),
          };
      const before = { shown: draft.shown, isHeldIfNewer: draft.isHeldIfNewer };
      Object.assign(draft, { shown: [...before.shown, ...named], isHeldIfNewer });
      drafts = [...drafts, draft];
      decidedAt.set(draft, now);
      // The clock may be set back, and a timer stands still while the machine sleeps.
      startTimer(decisionLastsMs, () => decidedAt.get(draft) === now && decidedAt.delete(draft));
      thread.markUnseen();
      try {
        // After an abort, sending continues in the background.
        await orAbort(signal, flush(signal, onKept));
      } catch (error) {
        // The caller still has the text and decides, unless it will be sent later without the caller.
        if ((signal?.aborted && !claimed.has(draft)) || (role === 'provider' && !isTransient(error))) {
          // After an abort, one that was held is held again: it may have arrived.
          if (isSame && signal?.aborted) Object.assign(draft, before);
          else drop(draft);
          await saveUnsent();
        }
        throw error;
      }
      if (isUnsent(draft) && !unsent().includes(draft)) {
        thread.checkOpen();
        throw new RelayError('aborted', 'The text was discarded: send it again.');
      }
      return { messageId: draft.messageId, isSent: !isUnsent(draft) };
    },
    flush,
    saveUnsent,
    async recall(signal) {
      const stored = await outbox?.recall();
      if (!stored) return;
      const isUnread = () => stored.accepted.some((id) => !accepted.has(id) && !thread.has(id));
      if (isUnread()) await thread.read(signal);
      if (isUnread()) {
        thread.refuse(missing());
        throw missing();
      }
      const known = new Set([...unsent(), ...drafts].map(({ messageId }) => messageId));
      drafts = [...drafts, ...stored.drafts.filter((one) => !known.has(one.messageId) && isUnsent(one))];
    },
    discard: (messageIds) =>
      queue(async () => {
        const meant = unsent().filter(({ messageId }) => messageIds?.includes(messageId) ?? true);
        meant.forEach(drop);
        if (thread.mailbox.hasEnded && outgoing && meant.includes(outgoing.draft)) outgoing = undefined;
        await saveUnsent();
        return meant.filter((draft) => !unsent().includes(draft)).map(({ text }) => text);
      }),
  };
}

/** Not believed, since the other side would never see this text. */
const notListed = () =>
  new RelayError('conflict', 'The relay has this text, and does not list it: `refresh` tries again.');
