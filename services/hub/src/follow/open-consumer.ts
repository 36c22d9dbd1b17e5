import { randomUUID } from 'node:crypto';
import {
  AckPolicy,
  createInbox,
  DeliverPolicy,
  type JetStreamManager,
  type Msg,
  type NatsConnection,
  nanos,
  ReplayPolicy,
} from 'nats';

/** One event as the stream holds it. */
export interface StreamMessage {
  readonly seq: number;
  readonly bytes: Uint8Array;
}

export interface Consumer {
  /** How many messages the stream held for it when it was made. */
  readonly pending: number;
  /** Starts the flow, each message in order and none left out. */
  begin(onMessage: (message: StreamMessage) => void): void;
  /** Why it ended: it never goes on after a gap or a silence, but is to be made anew. */
  readonly ended: Promise<string>;
  end(reason: string): void;
}

const heartbeat = 1_000;
const patience = 2_500;

/**
 * An ordered consumer of our own. The client library's was seen to stall for 30 s and then to skip events after
 * a stream was made anew; this one ends as soon as anything is odd, and leaves the rest to whoever opened it.
 */
export async function openConsumer(options: {
  connection: NatsConnection;
  manager: JetStreamManager;
  stream: string;
  from: { seq: number } | { time: Date };
  subject?: string;
}): Promise<Consumer> {
  const { connection, manager, stream, from, subject } = options;
  let resolveEnded: (reason: string) => void = () => {};
  const ended = new Promise<string>((resolve) => {
    resolveEnded = resolve;
  });
  const name = `hub-${randomUUID()}`;
  const early: StreamMessage[] = [];
  let deliver: (message: StreamMessage) => void = (message) => early.push(message);
  let expected = 1;
  let heard = performance.now();
  let over = false;

  const subscription = connection.subscribe(createInbox(), {
    callback(error, message) {
      if (error) return end(error.message);
      heard = performance.now();
      // Headers are read only where needed: parsing them costs more than all the rest here.
      if (message.reply?.startsWith('$JS.ACK.')) onMessage(message);
      else onStatus(message);
    },
  });
  const watch = setInterval(() => {
    if (performance.now() - heard > patience) end('NATS has gone silent');
  }, heartbeat / 2);

  function onMessage(message: Msg): void {
    if (over) return;
    const { streamSeq, consumerSeq } = placeOf(message.reply ?? '');
    if (consumerSeq === expected) {
      expected++;
      deliver({ seq: streamSeq, bytes: message.data });
    } else end('a message got lost on the way');
  }

  function onStatus(message: Msg): void {
    // Flow control: NATS waits until we have come this far.
    if (message.reply) message.respond();
    const stalled = message.headers?.get('Nats-Consumer-Stalled');
    if (stalled) connection.publish(stalled);
    const last = message.headers?.get('Nats-Last-Consumer');
    if (last && Number(last) !== expected - 1) end('messages got lost on the way');
  }

  function end(reason: string): void {
    if (over) return;
    over = true;
    clearInterval(watch);
    subscription.unsubscribe();
    // NATS forgets it by itself as well; asked nicely, it does so at once.
    if (!connection.isClosed()) manager.consumers.delete(stream, name).catch(() => {});
    resolveEnded(reason);
  }

  try {
    const info = await manager.consumers.add(stream, {
      name,
      deliver_subject: subscription.getSubject(),
      ...('seq' in from
        ? { deliver_policy: DeliverPolicy.StartSequence, opt_start_seq: Math.max(from.seq, 1) }
        : { deliver_policy: DeliverPolicy.StartTime, opt_start_time: from.time.toISOString() }),
      ...(subject !== undefined && { filter_subject: subject }),
      ack_policy: AckPolicy.None,
      replay_policy: ReplayPolicy.Instant,
      idle_heartbeat: nanos(heartbeat),
      flow_control: true,
      inactive_threshold: nanos(10_000),
      mem_storage: true,
      num_replicas: 1,
    });
    return {
      pending: info.num_pending + info.delivered.consumer_seq,
      begin(callback) {
        for (const message of early.splice(0)) callback(message);
        deliver = callback;
      },
      ended,
      end,
    };
  } catch (error) {
    end((error as Error).message);
    throw error;
  }
}

/** `$JS.ACK.<stream>.<consumer>.<deliveries>.<stream seq>.<consumer seq>.…`, on newer servers with two names before. */
function placeOf(reply: string): { streamSeq: number; consumerSeq: number } {
  const tokens = reply.split('.');
  const at = tokens.length === 9 ? 5 : 7;
  return { streamSeq: Number(tokens[at]), consumerSeq: Number(tokens[at + 1]) };
}
