const mark = '\ndata: {"type"';
const idMark = '"messageId":"';
const idLength = 36;

/** Counts the contract's events in what a stream says, wherever the network cut it. */
export interface EventCounter {
  readonly events: number;
  /** Where to note when each message came, if at all. */
  arrivals: Map<string, number> | undefined;
  take(bytes: Buffer, length: number): void;
}

export function createEventCounter(): EventCounter {
  let events = 0;
  /** What may be the beginning of the next mark. */
  let rest = '';

  return {
    get events() {
      return events;
    },
    arrivals: undefined,
    take(bytes, length) {
      const text = rest + bytes.toString('latin1', 0, length);
      let end = 0;
      for (let at = text.indexOf(mark); at >= 0; at = text.indexOf(mark, end)) {
        const id = this.arrivals ? text.indexOf(idMark, at) + idMark.length : 0;
        // The rest of this event is still to come.
        if (this.arrivals && (id < idMark.length || text.length < id + idLength)) {
          rest = text.slice(at);
          return;
        }
        this.arrivals?.set(text.slice(id, id + idLength), performance.now());
        events++;
        end = at + mark.length;
      }
      rest = text.slice(Math.max(end, text.length - mark.length + 1));
    },
  };
}
