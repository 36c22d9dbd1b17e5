import type { StreamConfig, StreamInfo } from 'nats';

type Limits = Pick<StreamConfig, 'max_age' | 'max_bytes'>;

/** Which of the wanted limits can be applied without dropping an event, and a note for each that cannot. */
export function planLimits(existing: StreamInfo, wanted: Limits): { limits: Limits; notes: string[] } {
  const { config, state } = existing;
  const limits = { max_age: wanted.max_age, max_bytes: wanted.max_bytes };
  const notes: string[] = [];
  const keep = (limit: keyof Limits, reason: string) => {
    limits[limit] = config[limit];
    notes.push(
      `The NATS stream ${config.name} keeps its ${limit} of ${config[limit]}: ${reason}, and the configured ` +
        `${wanted[limit]} would drop some. To drop them, set the limit with NATS's own tools.`,
    );
  };
  if (isLower(wanted.max_bytes, config.max_bytes) && state.bytes > wanted.max_bytes) {
    keep('max_bytes', `it holds ${state.bytes} bytes of events`);
  }
  // How old the events are, only the server's clock can tell, so any stored event counts.
  if (isLower(wanted.max_age, config.max_age) && state.messages > 0) {
    keep('max_age', `it holds ${state.messages} events`);
  }
  return { limits, notes };
}

/** NATS writes "no limit" as 0 or -1. */
function isLower(wanted: number, current: number): boolean {
  return wanted > 0 && (current <= 0 || wanted < current);
}
