/** Why a stream is not opened for now. */
export type TurnAwayReason = 'stopping' | 'starting' | 'busy' | 'too_many_streams' | 'too_many_failures';

/** Thrown where a stream is not opened for now; the client should reconnect later. */
export class TurnedAway extends Error {
  override readonly name = 'TurnedAway';
  readonly reason: TurnAwayReason;
  /** For the metric: the cap that was reached, or the reason. */
  readonly label: string;

  constructor(reason: TurnAwayReason, label: string = reason) {
    super(`no stream for now: ${reason}`);
    this.reason = reason;
    this.label = label;
  }
}
