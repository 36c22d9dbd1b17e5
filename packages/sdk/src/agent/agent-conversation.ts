import { checkOptions } from '../client-options.ts';
import type { AgentKeys } from '../crypto/index.ts';
import { RelayError } from '../relay-error.ts';
import type { AskedRequest } from '../request-state.ts';
import { type BaseParts, ConversationBase } from '../thread/conversation-base.ts';
import { createIterator, type Mailbox } from '../thread/mailbox.ts';
import { ended, type ReadMessage, toMessage } from '../thread/message.ts';
import { withTimeout } from '../transport/waiting.ts';
import type { AgentSide } from './agent-side.ts';
import type {
  Answer,
  AskAgainOptions,
  Conversation,
  Sending,
  Verification,
  WaitOptions,
} from './conversation.ts';
import type { ConversationState } from './conversation-state.ts';

export interface ConversationParts {
  readonly id: string;
  readonly keys: AgentKeys | undefined;
  readonly submissionDigest: string | undefined;
  readonly isConfidential: boolean | undefined;
  readonly side: AgentSide;
  readonly save: (state: ConversationState) => Promise<void>;
}

export class AgentConversation extends ConversationBase<AskedRequest> implements Conversation {
  readonly #parts: ConversationParts;
  /** Whether an answer was returned since the state was last saved. */
  #isUnsaved = false;

  constructor(base: BaseParts<AskedRequest>, parts: ConversationParts) {
    super(base);
    this.#parts = parts;
  }

  get id(): string {
    return this.#parts.id;
  }
  get isEncrypted(): boolean {
    return this.#parts.keys !== undefined;
  }
  get fingerprint(): string | undefined {
    return this.#parts.side.exchange?.fingerprint;
  }
  get verification(): Verification {
    return this.#parts.side.exchange?.verification ?? 'none';
  }

  verify(fingerprint: string): boolean {
    return this.#parts.side.verify(fingerprint);
  }

  async waitForAnswer(options: WaitOptions = {}): Promise<Answer> {
    const { timeout, signal, any = false } = checkOptions(options, 'timeout any signal');
    const { thread, follower } = this.base;
    const matches = ({ seenYourLast }: ReadMessage) => any || seenYourLast !== false;
    const release = thread.mailbox.isReady(matches) ? () => {} : follower.follow();
    let inTime = signal;
    const take = (own: AbortSignal | undefined) => {
      inTime = own;
      return this.#take({ signal: own, fits: matches });
    };
    try {
      const answer = await (timeout === undefined ? take(signal) : withTimeout(timeout, signal, take));
      if (answer) return answer;
      throw ended(this.status);
    } catch (error) {
      throw inTime?.aborted && !signal?.aborted ? timedOut(timeout) : error;
    } finally {
      release();
    }
  }

  [Symbol.asyncIterator](): AsyncIterator<Answer> {
    return createIterator(this.base.follower.follow, (signal) => this.#take({ signal }));
  }

  async send(text: string, options: AskAgainOptions = {}): Promise<Sending> {
    return this.base.sender.send(text, checkOptions(options, 'answerForm files shown signal'));
  }

  export(): ConversationState {
    const { id, keys, side, submissionDigest, isConfidential } = this.#parts;
    const { thread, sender } = this.base;
    const { requestId, refCode, status, expiresAt, responseCount, erasedAt } = this.seen;
    return {
      version: 1,
      id,
      request: { requestId, refCode, status, expiresAt, responseCount, erasedAt },
      submissionDigest,
      answerForm: side.form?.text,
      isConfidential,
      keys: keys?.export(),
      exchange: side.exchange,
      thread: thread.state,
      sender: sender.state,
    };
  }

  /** An answer counts as processed when the caller asks for the next one. */
  async #take(options: Parameters<Mailbox<ReadMessage>['take']>[0]) {
    if (this.#isUnsaved) {
      this.#isUnsaved = false;
      await this.#parts.save(this.export());
    }
    const { thread, sender } = this.base;
    const message = await thread.mailbox.take(options);
    if (!message) return undefined;
    this.#isUnsaved = true;
    // Texts that waited for keys are sent now: the caller may not wait for another answer.
    if (sender.isDue) await sender.flush(options.signal).catch(() => {});
    const { role, ...answer } = await toMessage(message, thread.forms.load);
    return answer;
  }
}

const timedOut = (timeout = 0) =>
  new RelayError(
    'timeout',
    `No answer came within ${timeout / 1_000} s. The conversation stays open: wait again.`,
  );
