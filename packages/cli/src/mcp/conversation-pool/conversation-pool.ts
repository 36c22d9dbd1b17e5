import type { RequestState } from '@expert-relay/sdk';
import { digestAsked, ownerOf } from '@expert-relay/sdk/internal';
import { readRefCode } from '../../arguments/read-values.ts';
import { explainError, isNotAsked } from '../../explain-error.ts';
import { Failure } from '../../failure.ts';
import type { Agent } from '../../relay/open-agent.ts';
import type { StoredConversation } from '../../store/conversations.ts';
import { type Lease, leaseNew, leaseStored, type QuestionWithFiles } from './lease.ts';
import { type LeasedConversation, type ReturnedAnswers, untilAborted } from './leased-conversation.ts';

const newestRequests = 200;

/** The tool call that uses a conversation. */
export interface Use {
  readonly signal: AbortSignal;
}

interface Leased {
  readonly id: string;
  readonly lease: Lease;
}

type Work<T> = (leased: LeasedConversation) => T | Promise<T>;

/**
 * The conversations that tools use. A conversation is leased while a call uses it and while it has unsent texts.
 * Otherwise it is only in its file, where other commands and servers can lease it.
 */
export interface ConversationPool {
  /** A question with an idempotency key is asked once. */
  ask<T>(
    question: QuestionWithFiles,
    use: Use,
    work: (leased: LeasedConversation, isRepeated: boolean) => T | Promise<T>,
  ): Promise<T>;
  /** By its reference code or its id. */
  use<T>(reference: string, use: Use, work: Work<T>): Promise<T>;
  /** All conversations, oldest first. Those that may not have reached the relay come last. Broken files are reported, and left out. */
  list(report: (error: unknown) => void): Promise<StoredConversation[]>;
  /** Whose conversations those of the present key are. */
  owner(): Promise<string>;
  /** The newest requests of this key as the relay has them now, by their reference codes. One call. */
  current(signal: AbortSignal): Promise<ReadonlyMap<string, RequestState>>;
  /** A sentence about the current outage. */
  readonly outage: string | undefined;
  readonly now: () => number;
  stop(): Promise<void>;
}

export function createConversationPool({
  openAgent,
  now,
}: {
  openAgent: () => Agent;
  now: () => number;
}): ConversationPool {
  const leases = new Map<string, Lease>();
  const returned: ReturnedAnswers = new Map();
  /** Questions that are being looked up or submitted, by idempotency key. */
  const asking = new Map<string, Promise<void>>();
  let agent: Agent | undefined;
  // Opened at the first use: a server without settings starts, and its tools report what is missing.
  const open = (): Agent => {
    agent ??= openAgent();
    return agent;
  };

  async function work<T>({ id, lease }: Leased, { signal }: Use, run: Work<T>): Promise<T> {
    let leased: LeasedConversation | undefined;
    try {
      leased = await untilAborted(lease.opened, signal);
      await leased.markDelivered();
      return await run(leased);
    } finally {
      await leave(id, lease, leased);
    }
  }

  async function leave(id: string, lease: Lease, leased: LeasedConversation | undefined): Promise<void> {
    lease.users -= 1;
    const end = async () => {
      if (lease.users > 0 || leases.get(id) !== lease) return;
      leases.delete(id);
      await lease.release();
    };
    if (leased && leased.conversation.unsent.length > 0) leased.readOn().then(end, end);
    else await end();
  }

  async function read(reference: string): Promise<StoredConversation> {
    const isId = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(reference);
    const name = isId ? reference : readRefCode(reference);
    const stored = await open().conversations.find(name);
    if (!stored)
      throw new Failure('unknown', `No conversation ${name} with this relay is kept on this machine.`);
    return stored;
  }

  async function findNamed(name: string, signal: AbortSignal): Promise<StoredConversation | undefined> {
    const relay = open().connect();
    const found = await relay.findNamed(name, { signal }).finally(() => relay.stop());
    return found && (await open().conversations.find(found.id));
  }

  function leaseOf(stored: StoredConversation): Leased {
    const { id } = stored.state;
    return keep(id, leases.get(id) ?? leaseStored({ agent: open(), now, returned }, stored));
  }

  /** Counted at once: another call that ends in the meantime does not release it. */
  function keep(id: string, lease: Lease): Leased {
    leases.set(id, lease);
    lease.users += 1;
    return { id, lease };
  }

  async function leaseAsked(question: QuestionWithFiles, signal: AbortSignal): Promise<Leased> {
    let id = '';
    const lease = leaseNew({ agent: open(), now, returned }, question, (made) => {
      id = made;
    });
    try {
      await untilAborted(lease.opened, signal);
    } catch (error) {
      await lease.release();
      const failure = explainError(error, signal);
      // A question that got the reference code of another one cannot continue either.
      const isOver = isNotAsked(failure) || failure.reason === 'question_altered';
      if (id !== '' && isOver) await open().conversations.forget(id);
      throw id === '' ? error : new AskFailure(id, error);
    }
    return keep(id, lease);
  }

  /** Two calls at the same time would both find that the name is free. */
  async function inTurn<T>(name: string, signal: AbortSignal, run: () => Promise<T>): Promise<T> {
    for (let other = asking.get(name); other; other = asking.get(name)) await untilAborted(other, signal);
    const running = run();
    const over = () => void asking.delete(name);
    asking.set(name, running.then(over, over));
    return await running;
  }

  return {
    now,
    async ask(question, use, run) {
      const { once: name } = question;
      if (name === undefined) {
        const asked = await leaseAsked(question, use.signal);
        return work(asked, use, (leased) => run(leased, false));
      }
      const { isRepeated, ...found } = await inTurn(name, use.signal, async () => {
        const stored = await findNamed(name, use.signal);
        return stored
          ? { ...leaseOf(await checkSame(stored, question)), isRepeated: true }
          : { ...(await leaseAsked(question, use.signal)), isRepeated: false };
      });
      return work(found, use, (leased) => run(leased, isRepeated));
    },
    use: async (reference, use, run) => work(leaseOf(await read(reference)), use, run),
    list: async (report) => {
      const asked = await open().conversations.all(report);
      const endOf = ({ state }: StoredConversation) => state.request?.expiresAt ?? '9';
      return asked.sort((one, other) => endOf(one).localeCompare(endOf(other)));
    },
    owner: async () => await ownerOf(open().access),
    async current(signal) {
      const relay = open().connect();
      const requests = await relay.requests({ limit: newestRequests, signal }).finally(() => relay.stop());
      return new Map(requests.map((request) => [request.refCode, request]));
    },
    get outage() {
      return agent?.outages.current;
    },
    async stop() {
      agent?.outages.stop();
      const open = [...leases.values()];
      leases.clear();
      await Promise.all(open.map((lease) => lease.release()));
    },
  };
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
