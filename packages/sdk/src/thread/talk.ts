import { checkOptions } from '../check-options.ts';
import type { RequestStatus } from '../request-state.ts';
import type { Api } from '../transport/api.ts';
import { members } from '../transport/shape.ts';
import type { Follower } from './follower.ts';
import type { Sender } from './sender.ts';
import type { Thread } from './thread.ts';

export interface TalkParts<Known> {
  readonly api: Api;
  readonly thread: Thread;
  readonly sender: Sender;
  readonly follower: Follower;
  /** What was known of the request before the relay listed it. */
  readonly request: Known;
}

interface KnownRequest {
  readonly requestId: string;
  readonly refCode: string;
  readonly status: RequestStatus;
  readonly expiresAt: string;
  readonly responseCount: number;
  readonly erasedAt?: string | undefined;
}

type CallOptions = { readonly signal?: AbortSignal | undefined };

/** What a conversation is on either side. */
export class Talk<Known extends KnownRequest> {
  declare readonly requestId: string;
  declare readonly refCode: string;
  protected readonly talk: TalkParts<Known>;

  constructor(talk: TalkParts<Known>) {
    this.talk = talk;
    const { requestId, refCode } = talk.request;
    Object.assign(this, { requestId, refCode });
  }

  get status(): RequestStatus {
    return this.seen.status;
  }
  get expiresAt(): string {
    return this.seen.expiresAt;
  }
  get responseCount(): number {
    return this.seen.responseCount;
  }
  get erasedAt(): string | undefined {
    return this.seen.erasedAt;
  }
  get unsent(): readonly string[] {
    return this.talk.sender.unsent;
  }

  /** The request as last seen. */
  protected get seen(): KnownRequest {
    return this.talk.thread.head ?? this.talk.request;
  }

  async refresh(options: CallOptions = {}): Promise<void> {
    const { signal } = checkOptions(options, 'signal');
    const { thread, sender } = this.talk;
    await thread.read(signal);
    if (sender.isDue && !thread.mailbox.hasEnded) await sender.flush(signal);
  }

  async close(options: CallOptions = {}): Promise<void> {
    const { signal } = checkOptions(options, 'signal');
    const { api, thread } = this.talk;
    await api.post(`/api/v1/close/${this.requestId}`, {}, members, signal);
    await thread.read(signal);
  }
}
