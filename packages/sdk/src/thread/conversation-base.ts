import { checkOptions } from '../client-options.ts';
import type { AskedRequest, Party, RequestStatus } from '../request-state.ts';
import type { Api } from '../transport/api.ts';
import { members } from '../transport/shape.ts';
import type { Follower } from './follower.ts';
import type { Sender } from './sender.ts';
import type { Thread } from './thread.ts';

/** The objects that both kinds of conversation are made of. */
export interface BaseParts<Known> {
  readonly api: Api;
  readonly thread: Thread;
  readonly sender: Sender;
  readonly follower: Follower;
  /** The request as it was known before its messages were read. */
  readonly request: Known;
}

export interface ClosingOptions {
  /** Up to 500 characters for the other side. It is not encrypted: the relay can read and change it. */
  readonly reason?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

export type CallOptions = { readonly signal?: AbortSignal | undefined };

/** The members that the agent's and the expert's conversation have in common. */
export class ConversationBase<Known extends AskedRequest> {
  declare readonly requestId: string;
  declare readonly refCode: string;
  protected readonly base: BaseParts<Known>;

  constructor(base: BaseParts<Known>) {
    this.base = base;
    const { requestId, refCode } = base.request;
    Object.assign(this, { requestId, refCode });
  }

  get status(): RequestStatus {
    return this.latest.status;
  }
  get expiresAt(): string {
    return this.latest.expiresAt;
  }
  get responseCount(): number {
    return this.latest.responseCount;
  }
  get erasedAt(): string | undefined {
    return this.latest.erasedAt;
  }
  get tags(): readonly string[] {
    return this.latest.tags ?? [];
  }
  get closedBy(): Party | undefined {
    return this.latest.closedBy;
  }
  get closeReason(): string | undefined {
    return this.latest.closeReason;
  }

  /** The request as it was read last. */
  protected get latest(): AskedRequest {
    return this.base.thread.head ?? this.base.request;
  }

  async refresh(options: CallOptions = {}): Promise<void> {
    const { signal } = checkOptions(options, 'signal');
    const { thread, sender } = this.base;
    await thread.read(signal);
    if (sender.texts.isDue && !thread.mailbox.hasEnded) await sender.flush(signal);
  }

  async close(options: ClosingOptions = {}): Promise<void> {
    const { reason, signal } = checkOptions(options, 'reason signal');
    const { api, thread } = this.base;
    await api.post(`/api/v1/close/${this.requestId}`, { reason }, members, signal);
    await thread.read(signal);
  }
}
