/**
 * How far a subscriber is in the NATS stream: it has every event up to and including this one.
 * As text, `<epoch>.<sequence>.<check>`, it is the `id:` of an event. The sequence is that of NATS; the `seq` of a request,
 * which an event has too, numbers the events of that request.
 */
export interface Position {
  /** Which NATS stream: one that is deleted and created again starts at sequence 1. */
  readonly epoch: string;
  readonly sequence: number;
  /** The end of the event's UUID: a NATS stream that lost its newest events uses their sequences again. */
  readonly check: string;
  /**
   * An event has a copy for each of its two topics. A subscriber of both gets the first one with this fourth part, so that no
   * copy is lost or repeated when the connection breaks between them.
   */
  readonly copiesSent?: 1;
}

/** Where a subscriber resumes: after a position, or with the oldest event that is kept. */
export type ResumeFrom = Position | 'earliest';

/** The time of a start position (`startPositionOf` of contracts), in milliseconds since 1970. */
export interface StartTime {
  readonly since: number;
}

/** Where a subscriber starts: the same, or with the events that were recorded since a time. */
export type StartFrom = ResumeFrom | StartTime;

export const isStartTime = (from: StartFrom | undefined): from is StartTime =>
  typeof from === 'object' && 'since' in from;

/** The check of a position without an event, such as the start of a NATS stream. */
export const noCheck = '00000000';

/** The position of a subscriber that sent text which is not from a hub. No NATS stream has this epoch. */
export const unknownPosition: Position = { epoch: '', sequence: 0, check: noCheck };

/** The end of a UUID is random in all of its versions. */
export const checkOf = (eventId: string): string =>
  eventId.length >= 8 ? eventId.slice(-8).toLowerCase() : noCheck;

export function formatPosition({ epoch, sequence, check, copiesSent }: Position): string {
  const text = `${epoch}.${sequence}.${check}`;
  return copiesSent === undefined ? text : `${text}.${copiesSent}`;
}

const pattern = /^([0-9a-z]{1,12})\.(0|[1-9]\d{0,15})\.([0-9a-f]{8})(?:\.(1))?$/;

export function parsePosition(text: string): Position | undefined {
  const [, epoch, sequence, check, copiesSent] = pattern.exec(text) ?? [];
  if (epoch === undefined || sequence === undefined || check === undefined) return undefined;
  const position = { epoch, sequence: Number(sequence), check };
  return copiesSent === undefined ? position : { ...position, copiesSent: 1 };
}
