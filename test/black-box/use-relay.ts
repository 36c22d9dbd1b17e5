import { afterAll, beforeAll } from '@jest/globals';
import type { Expert } from './expert.ts';
import { openRelay } from './open-relay.ts';
import type { Relay } from './relay.ts';

/** A relay and two of its users. */
export interface RelaySetup {
  readonly relay: Relay;
  readonly alice: Expert;
  /** Another user, who must not see anything of alice. */
  readonly bob: Expert;
}

/** A relay with two users, opened before the file's tests and stopped after them. */
export function useRelay(open: () => Promise<Relay> = openRelay): RelaySetup {
  let setup: RelaySetup | undefined;
  beforeAll(async () => {
    const relay = await open();
    setup = { relay, alice: await relay.signUp('alice'), bob: await relay.signUp('bob') };
  });
  afterAll(() => setup?.relay.stop());

  const opened = (): RelaySetup => {
    if (!setup) throw new Error('The relay is open only while tests run. Use it inside of a test or a hook.');
    return setup;
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
