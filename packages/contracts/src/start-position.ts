/** How far the database's clock may go back: when it is corrected, or when another server takes over. */
const clockToleranceMs = 10_000;

/**
 * A position for the first stream of a request that was made at this time, in milliseconds since 1970: all of its events are
 * recorded later. The response to a submit has it, the client sends it to the hub, and only the hub reads it.
 */
export const startPositionOf = (createdAt: number): string => `@${createdAt - clockToleranceMs}`;

/** The time of a start position, in milliseconds since 1970; undefined when the text is not one. */
export function parseStartPosition(text: string): number | undefined {
  const [, time] = /^@(\d{1,15})$/.exec(text) ?? [];
  return time === undefined ? undefined : Number(time);
}
