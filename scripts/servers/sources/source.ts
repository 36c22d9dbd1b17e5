import type { Home } from '../../local/home.ts';
import type { Launch, Place, ServerKind } from '../server-kind.ts';

/** A server that can be started. */
export interface Found {
  kind: ServerKind;
  version: string;
  launch(place: Place): Promise<Launch>;
}

/** A server that is to be found; one that has data may need its own version again. */
export interface Sought {
  kind: ServerKind;
  data: string;
}

export interface Answer {
  found: Found[];
  /** Why it could not help, for whoever is left without a server. */
  trouble?: string;
}

/** A place that servers come from. `say` tells what takes long. */
export type Source = (sought: readonly Sought[], home: Home, say: (text: string) => void) => Promise<Answer>;
