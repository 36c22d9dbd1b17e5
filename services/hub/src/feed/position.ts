/**
 * A place in the NATS stream. Who has it, has everything up to and with that event.
 * As text, `<epoch>.<sequence>.<check>`, it is the `id:` of an event.
 */
export interface Position {
  /** Which stream: one that was made anew counts from 1 again. */
  readonly epoch: string;
  readonly seq: number;
  /** Part of the event's UUID: a stream that lost its tail uses sequences again. */
  readonly check: string;
  /**
   * An event has a copy for each of its topics, two for each request that it is about. Who reads several of them
   * gets all but the last one under positions of their own (a fourth part: up to which copy that is), so that a
   * break between two neither loses nor repeats one.
   */
  readonly copies?: number;
}

/** The check of a place that no event stands at, such as the start of a stream. */
export const noCheck = '00000000';

/** The end of a UUID is random in all of its versions. */
export const checkOf = (eventId: string): string =>
  eventId.length >= 8 ? eventId.slice(-8).toLowerCase() : noCheck;

/** NATS tells when a stream was made as RFC 3339. */
export const epochOf = (created: string): string => Date.parse(created).toString(36);

export function formatPosition({ epoch, seq, check, copies }: Position): string {
  return copies === undefined ? `${epoch}.${seq}.${check}` : `${epoch}.${seq}.${check}.${copies}`;
}

const shape = /^([0-9a-z]{1,12})\.(0|[1-9]\d{0,15})\.([0-9a-f]{8})(?:\.([1-9]\d{0,4}))?$/;

export function parsePosition(text: string): Position | undefined {
  const [, epoch, seq, check, copies] = shape.exec(text) ?? [];
  if (epoch === undefined || seq === undefined || check === undefined) return undefined;
  return { epoch, seq: Number(seq), check, ...(copies !== undefined && { copies: Number(copies) }) };
}
