import type { Line } from '../measure/table.ts';
import type { Stage } from '../stage/stage.ts';

/** Something that is measured, by the name that `npm run bench -- <name>` takes. */
export interface Row {
  readonly name: string;
  /** Takes long, or wants the stage for itself: not played unless it is named. */
  readonly onlyByName?: true;
  play(stage: Stage, options: PlayOptions): Promise<readonly Line[]>;
}

export interface PlayOptions {
  /** Says what is going on. */
  readonly progress: (text: string) => void;
  readonly rounds: number;
  /** Where to write what the profiler saw, if it is to look. */
  readonly profiles: string | undefined;
}
