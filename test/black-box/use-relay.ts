import { afterAll, beforeAll } from '@jest/globals';
import type { Expert } from './expert.ts';
import { openRelay } from './open-relay.ts';
import type { Relay } from './relay.ts';

/** What a test file works with. */
export interface Here {
  readonly relay: Relay;
  readonly alice: Expert;
  /** Everything of alice is foreign to bob. */
  readonly bob: Expert;
}

/** A relay with two users, opened before the file's tests and stopped after them. */
export function useRelay(open: () => Promise<Relay> = openRelay): Here {
  let here: Here | undefined;
  beforeAll(async () => {
    const relay = await open();
    here = { relay, alice: await relay.signUp('alice'), bob: await relay.signUp('bob') };
  }, 60_000);
  afterAll(() => here?.relay.stop(), 60_000);

  const opened = (): Here => {
    if (!here) throw new Error('The relay is open only while tests run.');
    return here;
  };
  return {
    get relay() {
      return opened().relay;
    },
    get alice() {
      return opened().alice;
    },
    get bob() {
      return opened().bob;
    },
  };
}
