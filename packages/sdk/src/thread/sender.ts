import { missing } from '../crypto/history.ts';
import { createQueue } from '../crypto/queue.ts';
import { RelayError } from '../relay-error.ts';
import { type Api, isTransient } from '../transport/api.ts';
import { members } from '../transport/shape.ts';
import { orAbort, startTimer, throwIfAborted } from '../transport/waiting.ts';
import { hasAnswer, readSaved, savedParts } from './message-parts.ts';
import type { Draft, Outbox } from './outbox.ts';
import { checkMessage, makeParts } from './parts-to-send.ts';
import type { Outgoing, Sender, SenderState, SendingOptions } from './sending.ts';
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
 * | waiting  | `drafts`                 | `seal`, when `canSeal`: outgoing, or gone if another client has removed it. `isHeld`: held           |
 * | held     | `drafts`, while `isHeld` | `send` with its id: waiting, as it was written, with another `isHeldIfNewer` and `decidedAt`. `send` |
 * |          |                          | of another text: gone                                                                                |
 * | outgoing | `outgoing`               | The relay takes it: sent. `isWanted`, before it is sent again: held, its body in `encrypted`.        |
 * |          |                          | The relay refuses its content: refused, or without an outbox gone. One that others link to stays     |
 * | refused  | `drafts`, with a `code`  | `send` with its id: waiting                                                                          |
 * | sent     | `accepted`, or the list  | Nothing                                                                                              |
 * | claimed  | `drafts` and `claimed`   | With `claimSends`, in place of outgoing, held and refused. `seal` sends it, or the list shows that   |
 * |          |                          | another process did: sent. Else it stays, and the next `flush` seals it again                        |
 *
 * In each state, a list that shows the text makes it sent, and `discard` removes it: of one that was tried, the list is read first. A
 * `send` that is aborted, or for an expert fails for good, removes a new text unless that is outgoing or claimed.
 */
export function createSender(options: SenderOptions): Sender {
  const { api, thread, isPlain, prepare, save, outbox, decisionLastsMs = 0, state } = options;
  const { role } = thread.side;
  const queue = createQueue();
  let drafts = state?.drafts ?? [];
  let outgoing = state?.outgoing;
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
  const unsent = () => [...(outgoing ? [outgoing.draft] : []), ...drafts].filter(isUnsent);
  const saveUnsent = async () => outbox?.save(unsent(), (draft) => !isUnsent(draft));

  /** A decision from before a restart, or from some time ago: its author may decide otherwise now. */
  const isOld = (draft: Draft) =>
    hasAnswer(draft.parts) && Date.now() - (decidedAt.get(draft) ?? 0) > decisionLastsMs;
  const isHeld = (draft: Draft) =>
    isOld(draft) || (draft.isHeldIfNewer === true && thread.hasNewerThan(draft.shown));
  const isWaiting = (draft: Draft) => draft.code === undefined && !isHeld(draft);
  const canSeal = (draft: Draft) =>
    (isPlain() ? draft.isPlain !== false : thread.channel !== undefined) && isWaiting(draft);
  // An expert does not wait for keys: the expert's client sends them.
  const isDue = () => outgoing !== undefined || drafts.some(role === 'provider' ? isWaiting : canSeal);

  /** What the list shows was sent before a restart, or by another process. */
  function nextDraft(): Draft | undefined {
    drafts = drafts.filter(isUnsent);
    return drafts.find(canSeal);
  }

  function drop(draft: Draft): void {
    drafts = drafts.filter((one) => one !== draft);
  }

  /** Takes back what may have been sent, once the list was read. False if it has arrived, or others link to it. */
  async function takeBack({ draft, isOthers }: Outgoing): Promise<boolean> {
    if (!isUnsent(draft) || (!isOthers && !(await thread.forget(draft.messageId)))) return false;
    outgoing = undefined;
    return true;
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

  /**
   * Whether a text must be sent again. The list may have it, or something newer: then it is held, and its author decides. Another
   * client may have removed it.
   */
  async function isWanted(sending: Outgoing, signal: AbortSignal | undefined): Promise<boolean> {
    const { draft, body } = sending;
    const isRemoved = outbox?.stateOf !== undefined && !(await outbox.stateOf(draft.messageId));
    if (!isRemoved && !draft.isHeldIfNewer && !hasAnswer(draft.parts)) return true;
    await thread.read(signal);
    if (!isUnsent(draft)) outgoing = undefined;
    else if ((isRemoved || isHeld(draft)) && (await takeBack(sending))) {
      if (isRemoved) return false;
      encrypted.set(draft, body);
      drafts = [draft, ...drafts];
    }
    // The other side has it already, or it is still wanted.
    return outgoing !== undefined;
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
      if (!RelayError.is(error, 'invalid_input', 'too_large', 'conflict')) throw error;
      // A text that is refused for its content would block all others. One that was encrypted here stays: others may link to it.
      if (outbox?.stateOf) {
        // The relay may have it nevertheless: another client may have sent it, with other bytes.
        await thread.read(signal);
        if (isUnsent(draft)) await takeBack(sending);
        else outgoing = undefined;
        if (!isUnsent(draft)) return;
      } else if ('plaintext' in body || isOthers) outgoing = undefined;
      if (outbox && !outgoing) {
        Object.assign(draft, { code: error.code, reason: error.reason });
        drafts = [...drafts, draft];
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

  async function recall(signal: AbortSignal | undefined): Promise<void> {
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
  }

  async function send(
    text: string,
    { signal, shown, isHeldIfNewer, onKept, messageId = crypto.randomUUID(), ...content }: SendingOptions,
  ) {
    const now = Date.now();
    const named = thread.nameShown(shown);
    const known = unsent().find((draft) => draft.messageId === messageId);
    const making = known ? [] : makeParts(content);
    const parts = 'then' in making ? await making : making;
    if (!known) checkMessage(text, parts, thread.side, isPlain());
    throwIfAborted(signal);
    thread.checkOpen();
    const replaced = drafts.filter((draft) => draft !== known && isUnsent(draft) && isHeld(draft));
    if (replaced.length > 0) await discard(() => replaced);
    const saved = savedParts(parts);
    const draft: Draft = known ?? {
      messageId,
      text,
      isPlain: isPlain(),
      shown: named,
      ...(saved.length > 0 && { parts: saved }),
    };
    const before = { isHeldIfNewer: draft.isHeldIfNewer, code: draft.code, reason: draft.reason };
    Object.assign(draft, { isHeldIfNewer, code: undefined, reason: undefined });
    if (!known && isUnsent(draft)) drafts = [...drafts, draft];
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
        // One that waited before may have arrived. One that the relay has refused now stays, with its code.
        if (draft.code === undefined && known) Object.assign(draft, before);
        else if (draft.code === undefined) drop(draft);
        await saveUnsent();
      }
      throw error;
    }
    if (isUnsent(draft) && !unsent().includes(draft)) {
      thread.checkOpen();
      throw new RelayError('aborted', 'The text was discarded: send it again.');
    }
    return { messageId: draft.messageId, isSent: !isUnsent(draft) };
  }

  /** Whether the list must be read before this text is removed, since some client may have sent it. */
  const wasTried = async (draft: Draft) =>
    outgoing?.draft === draft ||
    encrypted.has(draft) ||
    (await outbox?.stateOf?.(draft.messageId)) === 'encrypted';

  async function remove(draft: Draft): Promise<void> {
    // Nothing more is sent in a conversation that has ended or was refused.
    const isOver = thread.mailbox.hasEnded || thread.refusal !== undefined;
    if (!isOver && (await wasTried(draft))) {
      await thread.read().catch((error: unknown) => {
        // The relay has removed the conversation.
        if (!RelayError.is(error, 'not_found')) throw error;
      });
    }
    if (outgoing?.draft === draft) {
      if (isOver) outgoing = undefined;
      else await takeBack(outgoing);
    }
    drop(draft);
  }

  const discard = (choose: () => readonly Draft[]) =>
    queue(async () => {
      const meant = choose();
      for (const draft of meant) await remove(draft);
      await saveUnsent();
      return meant.filter((draft) => isUnsent(draft) && !unsent().includes(draft)).map(({ text }) => text);
    });

  return {
    get state() {
      return { outgoing, drafts: drafts.filter(isUnsent) };
    },
    get unsent() {
      return unsent();
    },
    stateOf: (draft) => (draft.code !== undefined ? 'refused' : isHeld(draft) ? 'held' : 'waiting'),
    get hasDrafts() {
      return drafts.some((draft) => draft.code === undefined && isUnsent(draft));
    },
    get isDue() {
      return isDue();
    },
    send,
    flush,
    saveUnsent,
    recall,
    discard: (messageIds) =>
      discard(() => unsent().filter(({ messageId }) => messageIds?.includes(messageId) ?? true)),
  };
}

/** Not believed, since the other side would never see this text. */
const notListed = () =>
  new RelayError('conflict', 'The relay has this text, and does not list it: `refresh` tries again.');
