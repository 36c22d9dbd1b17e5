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
} from 'nats';
import { placeOf } from './place-of.ts';

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

/**
 * Asked for at a time, and again when half of it has come, so that it never stops flowing. What flows for one
 * consumer never holds up another for long on the shared connection.
 */
const batch = 500;
const heartbeat = 1_000;
const patience = 2_500;
/** A consumer that yields rests as long as its last batch took, but never so long that NATS would seem silent. */
const longestRestMs = 500;

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
  /** While it is true, the consumer rests after each batch, so that others get at least half of the time. */
  isYielding?: (() => boolean) | undefined;
}): Promise<Consumer> {
  const { connection, manager, stream, from, subject, isYielding } = options;
  // Short: it stands in front of each message, and the client library reads that letter by letter.
  const name = `hub-${randomBytes(9).toString('base64url')}`;
  const request = JSON.stringify({ batch, expires: nanos(30_000), idle_heartbeat: nanos(heartbeat) });
  let resolveEnded: (reason: string) => void = () => {};
  const ended = new Promise<string>((resolve) => {
    resolveEnded = resolve;
  });
  let deliver: (message: StreamMessage) => void = () => {};
  let awaited = 0;
  let expected = 1;
  let askedAt = 0;
  let resting: NodeJS.Timeout | undefined;
  /** For how long nothing has been heard. */
  let silence = 0;
  let watch: NodeJS.Timeout | undefined;
  let over = false;

  const { num_pending: pending } = await manager.consumers.add(stream, {
    name,
    ...('seq' in from
      ? { deliver_policy: DeliverPolicy.StartSequence, opt_start_seq: Math.max(from.seq, 1) }
      : { deliver_policy: DeliverPolicy.StartTime, opt_start_time: from.time.toISOString() }),
    ...(subject !== undefined && { filter_subject: subject }),
    ack_policy: AckPolicy.None,
    replay_policy: ReplayPolicy.Instant,
    inactive_threshold: nanos(10_000),
    mem_storage: true,
    num_replicas: 1,
  });
  const inbox = createInbox();
  const subscription = connection.subscribe(inbox, {
    callback(error, message) {
      if (error) return end(error.message);
      silence = 0;
      // Decoded anew each time that it is looked at. Headers are read only where needed: parsing them costs more
      // than all the rest here.
      const { reply } = message;
      if (reply?.startsWith('$JS.ACK.')) onMessage(message, reply);
      else onStatus(message);
    },
  });

  function askForMore(): void {
    if (awaited > batch / 2 || resting) return;
    if (!isYielding?.()) ask();
    else if (awaited === 0) {
      const rest = Math.min(performance.now() - askedAt, longestRestMs);
      resting = setTimeout(() => {
        resting = undefined;
        ask();
      }, rest);
    }
  }

  function ask(): void {
    if (over || connection.isClosed()) return;
    awaited += batch;
    askedAt = performance.now();
    connection.publish(`$JS.API.CONSUMER.MSG.NEXT.${stream}.${name}`, request, { reply: inbox });
  }

  function onMessage(message: Msg, reply: string): void {
    if (over) return;
    const { streamSeq, consumerSeq } = placeOf(reply, name);
    if (consumerSeq === expected) {
      expected++;
      awaited--;
      deliver({ seq: streamSeq, bytes: message.data });
      askForMore();
    } else end('a message got lost on the way');
  }

  function onStatus({ headers }: Msg): void {
    const last = headers?.get('Nats-Last-Consumer');
    if (headers?.code === 408 || headers?.code === 404) {
      // A request ran out of time: it will not bring any more.
      awaited -= Number(headers.get('Nats-Pending-Messages') || awaited);
      askForMore();
    } else if (headers?.code !== 100) end(headers?.description || 'NATS does not know the consumer any more');
    else if (last && Number(last) !== expected - 1) end('messages got lost on the way');
  }

  function end(reason: string): void {
    if (over) return;
    over = true;
    clearInterval(watch);
    clearTimeout(resting);
    subscription.unsubscribe();
    // NATS forgets it by itself as well; asked nicely, it does so at once.
    if (!connection.isClosed()) manager.consumers.delete(stream, name).catch(() => {});
    resolveEnded(reason);
  }

  return {
    pending,
    begin(onMessage) {
      deliver = onMessage;
      silence = 0;
      watch = setInterval(() => {
        silence += heartbeat / 2;
        if (silence > patience) end('NATS has gone silent');
      }, heartbeat / 2);
      ask();
    },
    ended,
    end,
  };
}
