import type { Span } from '../programs/span.ts';
import type { Controlled } from '../stage/controlled.ts';
import type { Subject } from './subject.ts';

/** The design's measure: as many calls are under way at any time. */
const concurrency = 32;

/** What answers HTTP, under the load; `makeRequests` is called again before each run. */
export function loadSubject(options: {
  name: string;
  load: Controlled;
  /** Who is called first, and who does the work with it. */
  processes: readonly [Controlled, ...Controlled[]];
  makeRequests: (count: number) => readonly string[];
}): Subject {
  const { name, load, processes, makeRequests } = options;
  const { port } = processes[0];
  return {
    name,
    processes,
    run: (count) => load.ask<Span>('run', { port, requests: makeRequests(count), count, concurrency }),
  };
}

/** A program that makes its own calls, without HTTP. */
export const directSubject = (name: string, program: Controlled): Subject => ({
  name,
  processes: [program],
  run: (count) => program.ask<Span>('run', { count, concurrency }),
});
