import { missing } from '../crypto/history.ts';
import { createQueue } from '../crypto/queue.ts';
import { RelayError } from '../relay-error.ts';
import { isTransient } from '../transport/api.ts';
import { members } from '../transport/shape.ts';
import { orAbort, startTimer, throwIfAborted } from '../transport/waiting.ts';
import { hasAnswer, readSaved, savedParts } from './message-parts.ts';
import type { Draft, Outbox } from './outbox.ts';
import { checkMessage, makeParts } from './parts-to-send.ts';
import type { DraftOptions, Outgoing, SenderOptions, SendResult } from './sending.ts';
import type { Thread } from './thread.ts';
import { UnsentTexts } from './unsent-texts.ts';

type Steps = Pick<DraftOptions, 'onStored' | 'beforeSending'>;

/** Sends the texts of one side in order, each exactly once, also after errors and restarts. */
export class Sender {
  readonly texts: UnsentTexts;
  readonly #options: SenderOptions;
  readonly #thread: Thread;
  readonly #outbox: Outbox | undefined;
  readonly #isExpert: boolean;
  /** Whether claiming a text sends it. */
  readonly #claimSends: boolean;
  readonly #queue = createQueue();
  /** Texts whose claiming has begun: the relay may have them. */
  readonly #claimed = new WeakSet<Draft>();

  constructor(options: SenderOptions) {
    const { thread, outbox } = options;
    this.texts = new UnsentTexts(options);
    this.#options = options;
    this.#thread = thread;
    this.#outbox = outbox;
    this.#isExpert = thread.side.role === 'provider';
    this.#claimSends = outbox?.kind === 'named question';
  }

  /**
   * Returns whether the text was sent. If not, it waits, or is held.
   *
   * @throws RelayError also when `discard` removed the text before it was sent
   */
  async send(
    text: string,
    { signal, shown, isHeldIfNewer, messageId = crypto.randomUUID(), ...content }: DraftOptions,
  ): Promise<SendResult> {
    const { texts } = this;
    const { isPlain, decisionLastsMs = 0 } = this.#options;
    const thread = this.#thread;
    const now = Date.now();
    const named = thread.nameShown(shown);
    const known = texts.all.find((draft) => draft.messageId === messageId);
    const making = known ? [] : makeParts(content);
    const parts = 'then' in making ? await making : making;
    if (!known) checkMessage(text, parts, thread.side, isPlain());
    throwIfAborted(signal);
    thread.checkOpen();
    const isReplaced = (one: Draft) => one !== known && texts.isUnsent(one) && texts.isHeld(one);
    const replaced = texts.drafts.filter(isReplaced);
    if (replaced.length > 0) await this.#remove(() => replaced);
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
    if (!known && texts.isUnsent(draft)) texts.drafts = [...texts.drafts, draft];
    texts.decidedAt.set(draft, now);
    // The clock may be set back, and a timer stands still while the machine sleeps.
    startTimer(decisionLastsMs, () => texts.decidedAt.get(draft) === now && texts.decidedAt.delete(draft));
    thread.markUnseen();
    try {
      // After an abort, sending continues in the background.
      await orAbort(signal, this.flush(signal, content));
    } catch (error) {
      // The caller still has the text and decides, unless it will be sent later without the caller.
      if ((signal?.aborted && !this.#claimed.has(draft)) || (this.#isExpert && !isTransient(error))) {
        // One that waited before may have arrived. One that the relay has refused now stays, with its code.
        if (draft.code === undefined && known) Object.assign(draft, before);
        else if (draft.code === undefined) texts.drop(draft);
        await this.saveUnsent();
      }
      throw error;
    }
    if (texts.isUnsent(draft) && !texts.all.includes(draft)) {
      thread.checkOpen();
      throw new RelayError('aborted', 'The text was discarded: send it again.');
    }
    return { messageId: draft.messageId, isSent: !texts.isUnsent(draft) };
  }

  /** Saves the unsent texts in the outbox. */
  async saveUnsent(): Promise<void> {
    await this.#outbox?.save(this.texts.all, (draft) => !this.texts.isUnsent(draft));
  }

  /** Sends all texts that can be sent now. */
  async flush(signal?: AbortSignal, { onStored, beforeSending }: Steps = {}): Promise<void> {
    await this.saveUnsent();
    if (this.#outbox) onStored?.();
    // Before its turn, another call may go on for longer than this one may take.
    const sent = this.#queue(() => this.#sendAll(signal, beforeSending));
    await orAbort(signal, sent);
  }

  async #sendAll(signal: AbortSignal | undefined, beforeSending: Steps['beforeSending']): Promise<void> {
    const { texts } = this;
    const { prepare, save } = this.#options;
    const thread = this.#thread;
    if (thread.refusal) throw thread.refusal;
    // After a restart nothing is sent before the list was read: its check may refuse this conversation.
    if (texts.isDue && !thread.head) await thread.read(signal);
    if (texts.drafts.length > 0) await prepare(signal);
    // Saving it may have failed before.
    if (texts.outgoing) await save();
    await this.#post(signal, true);
    for (let next = texts.next(); next; next = texts.next()) {
      throwIfAborted(signal);
      await this.#seal(next, signal);
      // Another client has sent or discarded it: the list shows which.
      if (!texts.outgoing && texts.isUnsent(next)) {
        await thread.read(signal);
        if (this.#claimSends && texts.isUnsent(next)) await this.#dropDiscarded(next);
      }
      await save();
      await this.#post(signal, await this.#release(signal, beforeSending));
    }
    await save();
    await this.saveUnsent();
  }

  /** Waits until the caller releases what is outgoing. Returns whether it had to. An abort removes it: it was not tried. */
  async #release(signal: AbortSignal | undefined, beforeSending: Steps['beforeSending']): Promise<boolean> {
    const { outgoing } = this.texts;
    if (!outgoing || !beforeSending) return false;
    try {
      await this.texts.hold(() => orAbort(signal, beforeSending(outgoing.body)));
    } catch (error) {
      this.texts.outgoing = undefined;
      if (!outgoing.isOthers) await this.#thread.forget(outgoing.draft.messageId);
      await this.saveUnsent();
      throw error;
    }
    return true;
  }

  async #dropDiscarded(draft: Draft): Promise<void> {
    const { drafts = [] } = (await this.#outbox?.read()) ?? {};
    if (drafts.some(({ messageId }) => messageId === draft.messageId)) throw notListed();
    this.texts.drop(draft);
  }

  async #seal(draft: Draft, signal: AbortSignal | undefined): Promise<void> {
    const { texts } = this;
    const thread = this.#thread;
    const { role } = thread.side;
    const { messageId, text } = draft;
    let isOthers = false;
    const claim = async <T extends object>(sealed: T): Promise<T | null> => {
      const before = texts.encrypted.get(draft) as T | undefined;
      const first = this.#outbox ? await this.#outbox.claim(messageId, sealed, signal) : (before ?? sealed);
      isOthers = first !== sealed;
      return first;
    };
    const take = (sealed: object | null) => {
      if (this.#claimSends) return void (sealed && texts.accepted.add(messageId));
      texts.drop(draft);
      texts.outgoing = sealed ? { draft, body: { role, ...sealed }, isOthers } : undefined;
    };
    if (this.#claimSends) this.#claimed.add(draft);
    thread.checkOpen();
    if (this.#options.isPlain()) {
      const { answer } = readSaved(draft.parts, role);
      take(await claim({ messageId, plaintext: text, answer: answer?.json }));
    } else await thread.seal(draft, claim, take);
    // Another client has encrypted what was sent: the next message links to it.
    if (this.#claimSends && isOthers) await thread.read(signal).catch(() => {});
  }

  async #post(signal: AbortSignal | undefined, mustCheck = false): Promise<void> {
    const { texts } = this;
    if (!texts.outgoing) return;
    const thread = this.#thread;
    const sending = texts.outgoing;
    const { draft, body, isOthers } = sending;
    const isWanted = () => this.#isWanted(sending, signal);
    if (mustCheck && !(await isWanted())) return;
    const path = `/api/v1/message/${thread.requestId}`;
    try {
      await this.#options.api.post(path, body, members, signal, { again: isWanted });
    } catch (error) {
      if (!texts.outgoing) return;
      if (!RelayError.is(error, 'invalid_input', 'too_large', 'conflict')) throw error;
      // A text that is refused for its content would block all others. One that was encrypted here stays: others may link to it.
      if (this.#outbox?.kind === 'expert') {
        // The relay may have it nevertheless: another client may have sent it, with other bytes.
        await thread.read(signal);
        if (texts.isUnsent(draft)) await this.#takeBack(sending);
        else texts.outgoing = undefined;
        if (!texts.isUnsent(draft)) return;
      } else if ('plaintext' in body || isOthers) texts.outgoing = undefined;
      if (this.#isExpert && !texts.outgoing) {
        Object.assign(draft, { code: error.code, reason: error.reason });
        texts.drafts = [...texts.drafts, draft];
      }
      await this.saveUnsent();
      throw error;
    }
    texts.accepted.add(draft.messageId);
    texts.outgoing = undefined;
    // The next message links to it. It was sent, whatever fails here.
    if (isOthers) await thread.read(signal).catch(() => {});
  }

  /**
   * Whether a text must be sent again. The list may have it, or something newer: then it is held, and its author decides. Another
   * client may have removed it.
   */
  async #isWanted(sending: Outgoing, signal: AbortSignal | undefined): Promise<boolean> {
    const { texts } = this;
    const { draft, body } = sending;
    const isRemoved = this.#outbox?.kind === 'expert' && !(await this.#outbox.stateOf(draft.messageId));
    if (!isRemoved && !draft.isHeldIfNewer && !hasAnswer(draft.parts)) return true;
    await this.#thread.read(signal);
    if (!texts.isUnsent(draft)) texts.outgoing = undefined;
    else if ((isRemoved || texts.isHeld(draft)) && (await this.#takeBack(sending))) {
      if (isRemoved) return false;
      texts.encrypted.set(draft, body);
      texts.drafts = [draft, ...texts.drafts];
    }
    // The other side has it already, or it is still wanted.
    return texts.outgoing !== undefined;
  }

  /** Takes back what may have been sent, once the list was read. False if it has arrived, or others link to it. */
  async #takeBack({ draft, isOthers }: Outgoing): Promise<boolean> {
    const isTaken = this.texts.isUnsent(draft) && (isOthers || (await this.#thread.forget(draft.messageId)));
    if (isTaken) this.texts.outgoing = undefined;
    return isTaken;
  }

  /**
   * Takes over the texts of other clients that wait in the outbox. Those that the relay has accepted must be in the list.
   * @throws RelayError `message_missing`
   */
  async takeOver(signal?: AbortSignal): Promise<void> {
    const { texts } = this;
    const thread = this.#thread;
    const stored = await this.#outbox?.read();
    if (!stored) return;
    const isUnread = () => stored.accepted.some((id) => !texts.accepted.has(id) && !thread.has(id));
    if (isUnread()) await thread.read(signal);
    if (isUnread()) {
      thread.refuse(missing());
      throw missing();
    }
    const known = new Set([...texts.all, ...texts.drafts].map(({ messageId }) => messageId));
    const isNew = (draft: Draft) => !known.has(draft.messageId) && texts.isUnsent(draft);
    texts.drafts = [...texts.drafts, ...stored.drafts.filter(isNew)];
  }

  /**
   * Removes texts with these ids, or all, and returns those that were removed. Of one that was tried, the list is read first: it may
   * have arrived. @throws RelayError when the list cannot be read
   */
  async discard(messageIds?: readonly string[]): Promise<readonly string[]> {
    const isMeant = ({ messageId }: Draft) => messageIds?.includes(messageId) ?? true;
    return await this.#remove(() => this.texts.all.filter(isMeant));
  }

  async #remove(choose: () => readonly Draft[]): Promise<readonly string[]> {
    return await this.#queue(async () => {
      const meant = choose();
      for (const draft of meant) await this.#removeOne(draft);
      await this.saveUnsent();
      return meant
        .filter((draft) => this.texts.isUnsent(draft) && !this.texts.all.includes(draft))
        .map(({ text }) => text);
    });
  }

  async #removeOne(draft: Draft): Promise<void> {
    const { texts } = this;
    const thread = this.#thread;
    // Nothing more is sent in a conversation that has ended or was refused.
    const isOver = thread.mailbox.hasEnded || thread.refusal !== undefined;
    // Some client may have sent it.
    const wasTried =
      texts.outgoing?.draft === draft ||
      texts.encrypted.has(draft) ||
      (this.#outbox?.kind === 'expert' && (await this.#outbox.stateOf(draft.messageId)) === 'encrypted');
    if (!isOver && wasTried) {
      await thread.read().catch((error: unknown) => {
        // The relay has removed the conversation.
        if (!RelayError.is(error, 'not_found')) throw error;
      });
    }
    if (texts.outgoing?.draft === draft) {
      if (isOver) texts.outgoing = undefined;
      else await this.#takeBack(texts.outgoing);
    }
    texts.drop(draft);
  }
}

/** Not believed, since the other side would never see this text. */
const notListed = () =>
  new RelayError('conflict', 'The relay has this text, and does not list it: `refresh` tries again.');
