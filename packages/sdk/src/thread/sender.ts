import { inTurn } from '../crypto/channel/in-turn.ts';
import { RelayError } from '../relay-error.ts';
import { onAbort, orAborted, throwIfAborted } from '../transport/aborted.ts';
import { type Api, isPassing } from '../transport/api.ts';
import { members } from '../transport/shape.ts';
import { checkText } from './check-text.ts';
import type { Thread } from './thread.ts';

/** A text that is to be sent. */
export interface Draft {
  readonly messageId: string;
  readonly text: string;
}

/** A text that may be on its way: it is sent as it is until the relay has answered. */
export interface Outgoing {
  readonly draft: Draft;
  readonly body: object;
}

export interface SenderState {
  readonly outgoing: Outgoing | undefined;
  readonly drafts: readonly Draft[];
}

export interface SenderOptions {
  readonly api: Api;
  readonly thread: Thread;
  /** Whether texts go out as they are. */
  readonly isPlain: () => boolean;
  /** Keeps the state; what it kept may go out. */
  readonly save: () => Promise<void>;
  readonly state?: SenderState | undefined;
}

/** Sends the texts of one side, one after another, each exactly once whatever happens in between. */
export class Sender {
  readonly #options: SenderOptions;
  readonly #queue = inTurn();
  readonly #drafts: Draft[];
  #outgoing: Outgoing | undefined;

  constructor(options: SenderOptions) {
    this.#options = options;
    this.#drafts = [...(options.state?.drafts ?? [])];
    this.#outgoing = options.state?.outgoing;
  }

  get state(): SenderState {
    return { outgoing: this.#outgoing, drafts: this.#drafts.slice() };
  }

  get unsent(): readonly string[] {
    return this.#unsent.map(({ text }) => text);
  }

  /** Whether texts wait to be sealed. */
  get hasDrafts(): boolean {
    return this.#drafts.length > 0;
  }

  /** Whether there is something that could go out now. */
  get isDue(): boolean {
    return this.#outgoing !== undefined || (this.hasDrafts && this.#canSeal());
  }

  get #unsent(): readonly Draft[] {
    return [...(this.#outgoing ? [this.#outgoing.draft] : []), ...this.#drafts];
  }

  /** Gives whether the text has gone out. */
  async send(text: string, signal: AbortSignal | undefined): Promise<{ messageId: string; isSent: boolean }> {
    const { thread, isPlain } = this.#options;
    checkText(text, isPlain());
    throwIfAborted(signal);
    thread.checkOpen();
    const draft = { messageId: crypto.randomUUID(), text };
    this.#drafts.push(draft);
    thread.outdate();
    const release = onAbort(signal, () => this.#drop(draft));
    try {
      await orAborted<void>(signal, (resolve, reject) => {
        // What was begun goes on by itself.
        this.flush(signal).then(resolve, reject);
        return () => {};
      });
    } finally {
      release();
    }
    return { messageId: draft.messageId, isSent: !this.#unsent.includes(draft) };
  }

  /** Sends whatever can be sent by now. */
  flush(signal?: AbortSignal): Promise<void> {
    return this.#queue(async () => {
      const { thread } = this.#options;
      if (thread.refusal) throw thread.refusal;
      // A client that comes back may have been refused something: nothing goes out before it has looked.
      if (this.isDue && !thread.head) await thread.read(signal);
      if (this.hasDrafts && !this.#canSeal()) await this.#lookForKeys(signal);
      if (this.#outgoing) await this.#post(this.#outgoing, signal);
      for (let draft = this.#drafts[0]; draft && this.#canSeal(); draft = this.#drafts[0]) {
        throwIfAborted(signal);
        await this.#seal(draft);
        await this.#options.save();
        if (this.#outgoing) await this.#post(this.#outgoing, signal);
      }
      await this.#options.save();
    });
  }

  #canSeal(): boolean {
    return this.#options.isPlain() || this.#options.thread.channel !== undefined;
  }

  /** They may have come since anybody looked. If nobody can say so now, the texts wait. */
  async #lookForKeys(signal: AbortSignal | undefined): Promise<void> {
    await this.#options.thread.read(signal).catch((error: unknown) => {
      if (!(error instanceof RelayError) || !isPassing(error)) throw error;
    });
  }

  async #seal(draft: Draft): Promise<void> {
    const { thread, isPlain } = this.#options;
    const { messageId, text } = draft;
    const take = (body: object) => {
      this.#drop(draft);
      this.#outgoing = { draft, body };
    };
    thread.checkOpen();
    if (thread.channel && !isPlain()) await thread.seal(thread.channel, text, messageId, take);
    else take({ role: thread.side.role, messageId, plaintext: text });
  }

  async #post({ body }: Outgoing, signal: AbortSignal | undefined): Promise<void> {
    const { api, thread } = this.#options;
    try {
      await api.post(`/api/v1/message/${thread.requestId}`, body, members, signal);
    } catch (error) {
      // What is refused for what it is would hold up all others. A sealed message never is, and others link to it.
      if ('plaintext' in body && error instanceof RelayError && isUnfit(error)) this.#outgoing = undefined;
      throw error;
    }
    this.#outgoing = undefined;
  }

  #drop(draft: Draft): void {
    const at = this.#drafts.indexOf(draft);
    if (at >= 0) this.#drafts.splice(at, 1);
  }
}

const isUnfit = ({ code }: RelayError): boolean => code === 'invalid_input' || code === 'message_too_large';
