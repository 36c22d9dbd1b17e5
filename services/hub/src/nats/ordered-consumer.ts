import { randomBytes } from 'node:crypto';
import {
  AckPolicy,
  createInbox,
  DeliverPolicy,
  type JetStreamManager,
  type Msg,
  type NatsConnection,
  nanos,
  ReplayPolicy,
  type Subscription,
} from 'nats';

/** One message as the stream holds it. */
export interface StoredMessage {
  readonly sequence: number;
  readonly bytes: Uint8Array;
}

export interface Consumer {
  /** How many messages the stream held for it when it was created. */
  readonly pending: number;
  /** Starts the delivery: each message, in order. Does nothing once the consumer has ended. */
  start(onMessage: (message: StoredMessage) => void): void;
  /** Resolves with the reason when it has ended. After a gap or a silence it ends: create a new one. */
  readonly ended: Promise<string>;
  end(reason: string): void;
}

export interface ConsumerOptions {
  readonly connection: NatsConnection;
  readonly manager: JetStreamManager;
  readonly stream: string;
  /** The first sequence. */
  readonly from: number;
  /** While it is true, the consumer pauses after each batch, so that others get at least half of the time. */
  readonly isYielding?: (() => boolean) | undefined;
}

/**
 * Messages of one request to NATS. The next request is sent when half of them have arrived, so the flow does not stop,
 * and one consumer never blocks the shared connection for long.
 */
const batchSize = 500;
const heartbeatMs = 1_000;
const silenceLimitMs = 2_500;
/** A consumer that yields pauses as long as its last batch took, but not so long that NATS would seem silent. */
const longestPauseMs = 500;

/**
 * Creates an ordered consumer. That of the client library stalled for 30 s and then skipped events after a stream was
 * created again. This one ends when something is wrong, and the caller creates another.
 */
export async function openConsumer(options: ConsumerOptions): Promise<Consumer> {
  const { manager, stream, from } = options;
  // The name is short, since each message's subject contains it, and the client library reads that character by character.
  const name = `hub-${randomBytes(9).toString('base64url')}`;
  const { num_pending: pending } = await manager.consumers.add(stream, {
    name,
    deliver_policy: DeliverPolicy.StartSequence,
    opt_start_seq: Math.max(from, 1),
    ack_policy: AckPolicy.None,
    replay_policy: ReplayPolicy.Instant,
    inactive_threshold: nanos(10_000),
    mem_storage: true,
    num_replicas: 1,
  });
  return new OrderedConsumer(name, pending, options);
}

class OrderedConsumer implements Consumer {
  readonly ended: Promise<string>;
  readonly pending: number;
  readonly #name: string;
  readonly #options: ConsumerOptions;
  readonly #inbox = createInbox();
  readonly #batchRequest = JSON.stringify({
    batch: batchSize,
    expires: nanos(30_000),
    idle_heartbeat: nanos(heartbeatMs),
  });
  readonly #subscription: Subscription;
  #resolveEnded: (reason: string) => void = () => {};
  #onMessage: (message: StoredMessage) => void = () => {};
  /** Messages that were requested and have not arrived yet. */
  #requested = 0;
  #requestedAt = 0;
  #nextConsumerSeq = 1;
  #pause: NodeJS.Timeout | undefined;
  /** Milliseconds since NATS last sent anything. */
  #silenceMs = 0;
  #silenceCheck: NodeJS.Timeout | undefined;
  #hasEnded = false;

  constructor(name: string, pending: number, options: ConsumerOptions) {
    this.#name = name;
    this.pending = pending;
    this.#options = options;
    this.ended = new Promise((resolve) => {
      this.#resolveEnded = resolve;
    });
    this.#subscription = options.connection.subscribe(this.#inbox, {
      callback: (error, message) => {
        if (error) this.end(error.message);
        else this.#receive(message);
      },
    });
  }

  start(onMessage: (message: StoredMessage) => void): void {
    if (this.#hasEnded) return;
    this.#onMessage = onMessage;
    this.#silenceMs = 0;
    this.#silenceCheck = setInterval(() => {
      this.#silenceMs += heartbeatMs / 2;
      if (this.#silenceMs > silenceLimitMs) this.end('NATS sent nothing for too long');
    }, heartbeatMs / 2);
    this.#requestBatch();
  }

  end(reason: string): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    clearInterval(this.#silenceCheck);
    clearTimeout(this.#pause);
    this.#subscription.unsubscribe();
    const { connection, manager, stream } = this.#options;
    // Without this, NATS would delete the inactive consumer, but later.
    if (!connection.isClosed()) manager.consumers.delete(stream, this.#name).catch(() => {});
    this.#resolveEnded(reason);
  }

  #receive(message: Msg): void {
    this.#silenceMs = 0;
    // `reply` is decoded at each access. Parsing headers costs more than everything else here, so events go without it.
    const { reply } = message;
    if (reply?.startsWith('$JS.ACK.')) this.#receiveEvent(message, reply);
    else this.#receiveStatus(message);
  }

  #receiveEvent(message: Msg, ackSubject: string): void {
    if (this.#hasEnded) return;
    const { streamSeq, consumerSeq } = parseAckSubject(ackSubject, this.#name);
    if (consumerSeq !== this.#nextConsumerSeq) {
      this.end('a message is missing');
      return;
    }
    this.#nextConsumerSeq++;
    this.#requested--;
    try {
      this.#onMessage({ sequence: streamSeq, bytes: message.data });
    } catch (error) {
      // The client library would stop reading the connection, which others use too.
      this.end(`a message could not be handled: ${(error as Error).message}`);
      return;
    }
    this.#requestMore();
  }

  #receiveStatus({ headers }: Msg): void {
    const lastConsumerSeq = headers?.get('Nats-Last-Consumer');
    if (headers?.code === 408 || headers?.code === 404) {
      // A request has expired: the rest of its messages will not arrive.
      this.#requested -= Number(headers.get('Nats-Pending-Messages') || this.#requested);
      this.#requestMore();
    } else if (headers?.code !== 100) {
      this.end(headers?.description || 'NATS has deleted the consumer');
    } else if (lastConsumerSeq && Number(lastConsumerSeq) !== this.#nextConsumerSeq - 1) {
      this.end('messages are missing');
    }
  }

  #requestMore(): void {
    if (this.#requested > batchSize / 2 || this.#pause) return;
    if (!this.#options.isYielding?.()) this.#requestBatch();
    else if (this.#requested === 0) {
      this.#pause = setTimeout(
        () => {
          this.#pause = undefined;
          this.#requestBatch();
        },
        Math.min(performance.now() - this.#requestedAt, longestPauseMs),
      );
    }
  }

  #requestBatch(): void {
    const { connection, stream } = this.#options;
    if (this.#hasEnded || connection.isClosed()) return;
    this.#requested += batchSize;
    this.#requestedAt = performance.now();
    connection.publish(`$JS.API.CONSUMER.MSG.NEXT.${stream}.${this.#name}`, this.#batchRequest, {
      reply: this.#inbox,
    });
  }
}

/**
 * Reads a message's sequences from the subject that it would be acknowledged to: `$JS.ACK.`, some names, of which the
 * consumer's is the last, and `.<deliveries>.<stream sequence>.<consumer sequence>.<time>.<pending>`.
 */
function parseAckSubject(subject: string, consumer: string): { streamSeq: number; consumerSeq: number } {
  const deliveriesAt = subject.indexOf(consumer) + consumer.length + 1;
  const streamSeqAt = subject.indexOf('.', deliveriesAt) + 1;
  const consumerSeqAt = subject.indexOf('.', streamSeqAt) + 1;
  return {
    streamSeq: Number(subject.slice(streamSeqAt, consumerSeqAt - 1)),
    consumerSeq: Number(subject.slice(consumerSeqAt, subject.indexOf('.', consumerSeqAt))),
  };
}
