import type { RelayError } from '../relay-error.ts';
import type { Api } from '../transport/api.ts';
import { createLooker } from './looker.ts';
import type { Sender } from './sender.ts';
import type { Thread } from './thread.ts';

export interface FollowerOptions {
  readonly thread: Thread;
  readonly sender: Sender;
  /** Calls back when there may be news, and soon after the beginning. Gives what ends it. */
  readonly listen: (look: () => void) => () => void;
  readonly backoff: Api['backoff'];
}

/** Keeps a conversation up to date for as long as somebody waits for it, and no connection longer than that. */
export interface Follower {
  /** Begins to wait. Gives what ends it. */
  follow(): () => void;
  /** Ends all waiting with an error. */
  stop(error: RelayError): void;
}

export function createFollower({ thread, sender, listen, backoff }: FollowerOptions): Follower {
  const { mailbox } = thread;
  let waiting = 0;
  let end: (() => void) | undefined;

  function begin(): () => void {
    const looker = createLooker({
      backoff,
      async look(signal) {
        await thread.read(signal);
        if (sender.isDue && !mailbox.hasEnded) await sender.flush(signal);
        if (mailbox.hasEnded) stop();
      },
      tell(error) {
        if (mailbox.hasEnded) stop();
        else mailbox.interrupt(error);
      },
    });
    const unlisten = listen(looker.look);
    const stop = () => {
      unlisten();
      looker.stop();
    };
    return stop;
  }

  function finish(): void {
    end?.();
    end = undefined;
  }

  return {
    follow() {
      waiting += 1;
      if (!mailbox.hasEnded) end ??= begin();
      let isWaiting = true;
      return () => {
        if (!isWaiting) return;
        isWaiting = false;
        waiting -= 1;
        if (waiting === 0) finish();
      };
    },
    stop(error) {
      finish();
      mailbox.interrupt(error);
    },
  };
}
