import { existsSync, readFileSync } from 'node:fs';
import type { Home } from '../../../scripts/local/home.ts';

/** A process that began to lead the outbox, and when. */
export interface Leader {
  readonly name: string;
  readonly at: number;
}

/** Who has led the outbox so far, the newest last: each says so in its log. */
export function readLeaders(home: Home, names: readonly string[]): readonly Leader[] {
  return names
    .flatMap((name) => {
      const file = home.log(name);
      if (!existsSync(file)) return [];
      const lines = readFileSync(file, 'utf8').split('\n');
      return lines
        .filter((line) => line.includes('"msg":"leads the outbox"'))
        .map((line) => ({ name, at: readTime(JSON.parse(line).time) }));
    })
    .sort((one, other) => one.at - other.at);
}

const readTime = (time: string | number): number => (typeof time === 'number' ? time : Date.parse(time));
