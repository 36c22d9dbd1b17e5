import { hasAnswer } from './message-parts.ts';
import type { Draft } from './outbox.ts';
import type { Outgoing, SenderOptions, SenderState } from './sending.ts';

/**
 * The texts that the relay does not have yet. Only those of experts are held or refused. One that is gone is in none of these places.
 *
 *   held ◄──► waiting ──► outgoing ──► sent      outgoing ──► held, refused
 *
 * | State    | What holds it            | What leads out of it, in `Sender`                                                                    |
 * |----------|--------------------------|------------------------------------------------------------------------------------------------------|
 * | waiting  | `drafts`                 | `#seal`, when `#canSeal`: outgoing, or gone if another client has removed it. `isHeld`: held         |
 * | held     | `drafts`, while `isHeld` | `send` with its id: waiting, as it was written, with another `isHeldIfNewer` and `decidedAt`. `send` |
 * |          |                          | of another text: gone                                                                                |
 * | outgoing | `outgoing`               | The relay takes it: sent. `#isWanted`, before it is sent again: held, its body in `encrypted`.       |
 * |          |                          | The relay refuses its content: refused, or an agent's gone. One that others link to stays            |
 * |          |                          | An abort in `#release`, before it was tried: gone                                              |
 * | refused  | `drafts`, with a `code`  | `send` with its id: waiting                                                                          |
 * | sent     | `accepted`, or the list  | Nothing                                                                                              |
 * | claimed  | `drafts` and `#claimed`  | Of a question with a name, in place of outgoing, held and refused. `#seal` sends it, or the list     |
 * |          |                          | shows that another process did: sent. Else it stays, and the next `flush` seals it again             |
 *
 * In each state, a list that shows the text makes it sent, and `discard` removes it: of one that was tried, the list is read first. A
 * `send` that is aborted, or for an expert fails for good, removes a new text unless that was tried or is claimed.
 */
export class UnsentTexts {
  drafts: readonly Draft[];
  outgoing: Outgoing | undefined;
  /** The ids of texts that the relay has accepted. The list may not show them yet. */
  readonly accepted = new Set<string>();
  /** Texts that were encrypted and are held: if they are sent, then as they are, since the relay may have them. */
  readonly encrypted = new WeakMap<Draft, object>();
  /** When this process was given each answer to a form, in milliseconds since 1970. */
  readonly decidedAt = new WeakMap<Draft, number>();
  readonly #options: SenderOptions;
  #isOnHold = false;

  constructor(options: SenderOptions) {
    this.#options = options;
    this.drafts = options.state?.drafts ?? [];
    this.outgoing = options.state?.outgoing;
  }

  get state(): SenderState {
    return { outgoing: this.outgoing, drafts: this.drafts.filter(this.isUnsent) };
  }
  get all(): readonly Draft[] {
    return [...(this.outgoing ? [this.outgoing.draft] : []), ...this.drafts].filter(this.isUnsent);
  }
  /** Whether texts wait to be encrypted. */
  get hasDrafts(): boolean {
    return this.drafts.some((draft) => draft.code === undefined && this.isUnsent(draft));
  }
  /** Nothing is due while the author of what is outgoing decides whether it is sent. */
  async hold(decision: () => Promise<void>): Promise<void> {
    this.#isOnHold = true;
    await decision().finally(() => {
      this.#isOnHold = false;
    });
  }
  /** Whether a text could be sent now. */
  get isDue(): boolean {
    if (this.#isOnHold) return false;
    // An expert does not wait for keys: the expert's client sends them.
    const isExpert = this.#options.thread.side.role === 'provider';
    return this.outgoing !== undefined || this.drafts.some(isExpert ? this.#isWaiting : this.#canSeal);
  }

  /** The list may show a message before the call that sent it is answered. */
  readonly isUnsent = ({ messageId }: Draft): boolean =>
    !this.accepted.has(messageId) && !this.#options.thread.has(messageId);

  /** What has to happen before this text is sent: nothing, its author's decision, or another content. */
  stateOf(draft: Draft): 'waiting' | 'held' | 'refused' {
    return draft.code !== undefined ? 'refused' : this.isHeld(draft) ? 'held' : 'waiting';
  }

  isHeld(draft: Draft): boolean {
    const { thread, decisionLastsMs = 0 } = this.#options;
    // A decision from before a restart, or from some time ago: its author may decide otherwise now.
    const isOld = hasAnswer(draft.parts) && Date.now() - (this.decidedAt.get(draft) ?? 0) > decisionLastsMs;
    return isOld || (draft.isHeldIfNewer === true && thread.hasNewerThan(draft.shown));
  }

  readonly #isWaiting = (draft: Draft): boolean => this.stateOf(draft) === 'waiting';

  readonly #canSeal = (draft: Draft): boolean => {
    const { isPlain, thread } = this.#options;
    return (isPlain() ? draft.isPlain !== false : thread.channel !== undefined) && this.#isWaiting(draft);
  };

  /** The next one that can be sealed. What the list shows was sent before a restart, or by another process. */
  next(): Draft | undefined {
    this.drafts = this.drafts.filter(this.isUnsent);
    return this.drafts.find(this.#canSeal);
  }

  drop(draft: Draft): void {
    this.drafts = this.drafts.filter((one) => one !== draft);
  }
}
