import { randomUUID } from 'node:crypto';
import type { Query } from '@expert-relay/db';
import type { Part } from '@expert-relay/kit/lifecycle';
import type { Log } from '@expert-relay/kit/log';
import type { Consumer, StoredStream, StoredStreamState } from '@expert-relay/kit/nats';
import { createWakeup } from '@expert-relay/kit/wakeup';
import type { Reports } from '../reports.ts';
import {
  type Cursor,
  type HeldCursor,
  holdCursor,
  insertFromEvents,
  insertFromRows,
  releaseCursor,
} from './cursor.ts';
import { endSessions } from './end-sessions.ts';
import { type ReadEvent, readEvent } from './facts.ts';

/** How often the cursor is held again, and how often it is looked for a first endpoint. */
const holdIntervalMs = 2_000;
/** After a loss, events are read again from this time before the cursor. */
const overlapMs = 15 * 60_000;
const maxBatch = 200;
/** Events in memory: with more, Postgres is slower than the stream, and reading starts again from the cursor. */
const maxWaiting = 5_000;

interface EventReaderOptions {
  readonly query: Query;
  readonly stream: StoredStream;
  readonly reports: Reports;
  readonly log: Log;
  /** Called when deliveries were inserted. */
  readonly onInserted: () => void;
}

/**
 * Reads the events of the stream and inserts their deliveries. One process of the installation reads, and none while no
 * endpoint is enabled. The cursor in Postgres says how far: so an event that was read twice causes no second delivery, and
 * one that was not read is read later, or derived from the rows when the stream no longer has it.
 */
export class EventReader implements Part {
  readonly name = 'event reader';
  readonly #options: EventReaderOptions;
  readonly #holder = randomUUID();
  readonly #stopping = new AbortController();
  readonly #wakeup = createWakeup();
  #loop: Promise<void> | undefined;
  #consumer: Consumer | undefined;

  constructor(options: EventReaderOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    this.#loop = this.#run();
  }

  /** Call it when an endpoint was enabled: reading begins at once. */
  wake(): void {
    this.#wakeup.wake();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#consumer?.end('stopping');
    await this.#loop;
    await releaseCursor(this.#options.query, this.#holder).catch(() => {});
  }

  async #run(): Promise<void> {
    const { query, reports, log } = this.#options;
    const { signal } = this.#stopping;
    let lastReason = '';
    while (!signal.aborted) {
      try {
        const held = await holdCursor(query, this.#holder);
        if (held) {
          const reason = await this.#read(held);
          if (reason !== lastReason && !signal.aborted)
            log.info({ reason }, 'the events are not read at the moment');
          lastReason = reason;
        }
      } catch (error) {
        const reason = (error as Error).message;
        if (reason !== lastReason) log.warn({ reason }, 'the events cannot be read: trying again');
        lastReason = reason;
      }
      reports.reading(false);
      await this.#wakeup.wait(holdIntervalMs, signal);
    }
  }

  /** Reads until that is no longer possible, or no longer needed. Resolves with the reason. */
  async #read(held: HeldCursor): Promise<string> {
    const { stream, reports } = this.#options;
    const state = await stream.readState();
    const start = await this.#findStart(held, state);
    if (!start) return 'another process reads';
    const { epoch } = state;
    const consumer = await stream.openConsumer({ from: start.from, epoch });
    this.#consumer = consumer;
    try {
      // `stop` may have been called before there was a consumer to end.
      if (this.#stopping.signal.aborted) return 'stopping';
      reports.reading(true);
      return await this.#insertAll(consumer, epoch, start.cursor);
    } finally {
      this.#consumer = undefined;
      consumer.end('finished');
    }
  }

  /** Compares the cursor with the stream. Undefined when another process has moved the cursor. */
  async #findStart(
    { cursor, enabledSince }: HeldCursor,
    { epoch, firstSeq }: StoredStreamState,
  ): Promise<{ cursor: Cursor; from: { seq: number } | { time: Date } } | undefined> {
    const { query, log } = this.#options;
    const hasAll = cursor !== undefined && cursor.epoch === epoch && cursor.seq >= firstSeq - 1;
    if (!hasAll) {
      // The stream may not have every event since the cursor, so their deliveries come from the rows.
      const recordedAt = cursor?.recordedAt ?? enabledSince;
      const floor = { epoch, seq: firstSeq - 1, eventId: '', recordedAt };
      const inserted = await insertFromRows(query, cursor, floor, recordedAt - overlapMs);
      if (inserted === undefined) return undefined;
      if (cursor)
        log.warn({ inserted }, 'the stream does not have the events since the cursor: read from the rows');
      if (inserted > 0) this.#options.onInserted();
      return {
        cursor: floor,
        from: cursor ? { seq: firstSeq } : { time: new Date(enabledSince - overlapMs) },
      };
    }
    const isSame = cursor.eventId === '' || (await this.#idAt(cursor.seq)) === cursor.eventId;
    if (isSame) return { cursor, from: { seq: cursor.seq + 1 } };
    log.warn('the stream has lost its newest events: reading again from 15 minutes before the cursor');
    return { cursor, from: { time: new Date(cursor.recordedAt - overlapMs) } };
  }

  async #idAt(seq: number): Promise<string | undefined> {
    const bytes = await this.#options.stream.readOne(seq);
    return bytes && readEvent({ seq, bytes }).eventId;
  }

  async #insertAll(consumer: Consumer, epoch: string, start: Cursor): Promise<string> {
    const { query, reports, onInserted } = this.#options;
    let cursor = start;
    const waiting: ReadEvent[] = [];
    const news = createWakeup();
    let ended: string | undefined;
    void consumer.ended.then((reason) => {
      ended = reason;
      news.wake();
    });
    consumer.start((message) => {
      waiting.push(readEvent(message));
      if (waiting.length > maxWaiting) consumer.end('Postgres is slower than the stream');
      news.wake();
    });
    let holdAt = performance.now() + holdIntervalMs;
    for (;;) {
      const batch = waiting.splice(0, maxBatch);
      const last = batch.at(-1);
      if (last) {
        const { seq, eventId } = last;
        const recordedAt = last.recordedAt || cursor.recordedAt;
        const next = { epoch, seq, eventId, recordedAt };
        // Before the cursor moves, so that none is missed: what is repeated has no effect.
        await endSessions(
          query,
          batch.flatMap(({ endedSession }) => endedSession ?? []),
        );
        const inserted = await insertFromEvents(query, cursor, next, batch);
        if (inserted === undefined) return 'another process reads';
        cursor = next;
        reports.read(batch.length, inserted);
        if (inserted > 0) onInserted();
        if (performance.now() < holdAt) continue;
      } else if (ended !== undefined) return ended;
      if (performance.now() >= holdAt) {
        holdAt = performance.now() + holdIntervalMs;
        if (!(await holdCursor(query, this.#holder)))
          return 'no endpoint is enabled and may be used, or another process reads';
        continue;
      }
      await news.wait(holdAt - performance.now(), this.#stopping.signal);
    }
  }
}
