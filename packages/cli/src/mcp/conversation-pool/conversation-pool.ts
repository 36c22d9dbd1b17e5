import type { RequestState } from '@expert-relay/sdk';
import { digestAsked, ownerOf } from '@expert-relay/sdk/internal';
import { readRefCode } from '../../arguments/read-values.ts';
import { explainError, isNotAsked } from '../../explain-error.ts';
import { Failure } from '../../failure.ts';
import type { Agent } from '../../relay/open-agent.ts';
import type { StoredConversation } from '../../store/conversations.ts';
import { type Lease, type LeaseContext, leaseNew, leaseStored, type QuestionWithFiles } from './lease.ts';
import { type LeasedConversation, type ReturnedAnswers, untilAborted } from './leased-conversation.ts';

const newestRequests = 200;

/** The tool call that uses a conversation. */
export interface Use {
  readonly signal: AbortSignal;
}

type Work<T> = (leased: LeasedConversation) => T | Promise<T>;

/**
 * The conversations that tools use. A conversation is leased while a call uses it and while it has unsent texts.
 * Otherwise it is only in its file, where other commands and servers can lease it.
 */
export class ConversationPool {
  readonly now: () => number;
  readonly #openAgent: () => Agent;
  readonly #leases = new Set<Lease>();
  readonly #returned: ReturnedAnswers = new Map();
  /** Questions that are being looked up or submitted, by idempotency key. */
  readonly #asking = new Map<string, Promise<void>>();
  #opened: Agent | undefined;

  constructor({ openAgent, now }: { readonly openAgent: () => Agent; readonly now: () => number }) {
    this.#openAgent = openAgent;
    this.now = now;
  }

  /** Opened at the first use: a server without settings starts, and its tools report what is missing. */
  get #agent(): Agent {
    this.#opened ??= this.#openAgent();
    return this.#opened;
  }

  /** A sentence about the current outage. */
  get outage(): string | undefined {
    return this.#opened?.outages.current;
  }

  /** A question with an idempotency key is asked once. */
  async ask<T>(
    question: QuestionWithFiles,
    use: Use,
    work: (leased: LeasedConversation, isRepeated: boolean) => T | Promise<T>,
  ): Promise<T> {
    const { once: name } = question;
    if (name === undefined) {
      const asked = await this.#leaseAsked(question, use.signal);
      return await this.#work(asked, use, (leased) => work(leased, false));
    }
    const { isRepeated, lease } = await this.#inTurn(name, use.signal, async () => {
      const stored = await this.#findNamed(name, use.signal);
      return stored
        ? { lease: this.#leaseOf(await checkSame(stored, question)), isRepeated: true }
        : { lease: await this.#leaseAsked(question, use.signal), isRepeated: false };
    });
    return await this.#work(lease, use, (leased) => work(leased, isRepeated));
  }

  /** By its reference code or its id. */
  async use<T>(reference: string, use: Use, work: Work<T>): Promise<T> {
    return await this.#work(this.#leaseOf(await this.#read(reference)), use, work);
  }

  /** All conversations, oldest first. Those that may not have reached the relay come last. Broken files are reported, and left out. */
  async list(report: (error: unknown) => void): Promise<StoredConversation[]> {
    const asked = await this.#agent.conversations.all(report);
    const endOf = ({ state }: StoredConversation) => state.request?.expiresAt ?? '9';
    return asked.sort((one, other) => endOf(one).localeCompare(endOf(other)));
  }

  /** Whose conversations those of the present key are. */
  async owner(): Promise<string> {
    return await ownerOf(this.#agent.access);
  }

  /** The newest requests of this key as the relay has them now, by their reference codes. One call. */
  async current(signal: AbortSignal): Promise<ReadonlyMap<string, RequestState>> {
    const relay = this.#agent.connect();
    const requests = await relay.requests({ limit: newestRequests, signal }).finally(() => relay.stop());
    return new Map(requests.map((request) => [request.refCode, request]));
  }

  async stop(): Promise<void> {
    this.#opened?.outages.stop();
    const open = [...this.#leases];
    this.#leases.clear();
    await Promise.all(open.map((lease) => lease.release()));
  }

  async #work<T>(lease: Lease, { signal }: Use, work: Work<T>): Promise<T> {
    let leased: LeasedConversation | undefined;
    try {
      leased = await untilAborted(lease.opened, signal);
      await leased.markDelivered();
      return await work(leased);
    } finally {
      await this.#leave(lease, leased);
    }
  }

  async #leave(lease: Lease, leased: LeasedConversation | undefined): Promise<void> {
    lease.users -= 1;
    const end = async () => {
      if (lease.users === 0 && this.#leases.delete(lease)) await lease.release();
    };
    if (leased && leased.conversation.unsent.length > 0) leased.readOn().then(end, end);
    else await end();
  }

  async #read(reference: string): Promise<StoredConversation> {
    const isId = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(reference);
    const name = isId ? reference : readRefCode(reference);
    const stored = await this.#agent.conversations.find(name);
    if (!stored)
      throw new Failure('unknown', `No conversation ${name} with this relay is kept on this machine.`);
    return stored;
  }

  async #findNamed(name: string, signal: AbortSignal): Promise<StoredConversation | undefined> {
    const relay = this.#agent.connect();
    const found = await relay.findNamed(name, { signal }).finally(() => relay.stop());
    return found && (await this.#agent.conversations.find(found.id));
  }

  #leaseOf(stored: StoredConversation): Lease {
    const known = [...this.#leases].find(({ id }) => id === stored.state.id);
    return this.#enter(known ?? leaseStored(this.#leaseContext, stored));
  }

  get #leaseContext(): LeaseContext {
    return { agent: this.#agent, now: this.now, returned: this.#returned };
  }

  /** Counted at once: another call that ends in the meantime does not release it. */
  #enter(lease: Lease): Lease {
    this.#leases.add(lease);
    lease.users += 1;
    return lease;
  }

  async #leaseAsked(question: QuestionWithFiles, signal: AbortSignal): Promise<Lease> {
    const lease = leaseNew(this.#leaseContext, question);
    try {
      await untilAborted(lease.opened, signal);
    } catch (error) {
      await lease.release();
      const { id } = lease;
      const failure = explainError(error, signal);
      // A question that got the reference code of another one cannot continue either.
      const isOver = isNotAsked(failure) || failure.reason === 'question_altered';
      if (id === undefined) throw error;
      if (isOver) await this.#agent.conversations.forget(id);
      throw new AskFailure(id, error);
    }
    return this.#enter(lease);
  }

  /** Two calls at the same time would both find that the name is free. */
  async #inTurn<T>(name: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    for (let other = this.#asking.get(name); other; other = this.#asking.get(name))
      await untilAborted(other, signal);
    const working = work();
    const over = () => void this.#asking.delete(name);
    this.#asking.set(name, working.then(over, over));
    return await working;
  }
}

/** An idempotency key belongs to one question: its answer is none to another context or file. */
async function checkSame(stored: StoredConversation, asked: QuestionWithFiles): Promise<StoredConversation> {
  const { once, request, id } = stored.state;
  if (once?.digest === (await digestAsked(asked))) return stored;
  throw new Failure(
    'usage',
    `This idempotency_key was used for another question, context, form, files, lifetime or tags, ${request?.refCode ?? id}. Ask under another one.`,
  );
}

/** The question is stored under this id, and it is unknown whether it arrived. Resuming it submits it only once. */
export class AskFailure extends Error {
  override readonly name = 'AskFailure';
  readonly id: string;

  constructor(id: string, cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.id = id;
  }
}
