import type { RelayError } from '../relay-error.ts';
import type { Api } from '../transport/api.ts';
import { createRefresher } from './refresher.ts';
import type { Sender } from './sending.ts';
import type { Thread } from './thread.ts';

export interface FollowerOptions {
  readonly thread: Thread;
  readonly sender: Sender;
  /** Calls back when there may be news, and once soon after the start. Returns a function that stops this. */
  readonly listen: (refresh: () => void) => () => void;
  readonly backoff: Api['backoff'];
}

/**
 * Keeps a conversation up to date while at least one caller waits for it. While no caller waits, the follower keeps no connection
 * open. `listen` says when there may be news: for experts after each event, for agents as the read scheduler decides. Then the
 * refresher reads until it succeeds.
 */
export interface Follower {
  /** Starts to wait. Returns a function that stops it. */
  follow(): () => void;
  /** Rejects waiting and later calls with this error. */
  stop(error: RelayError): void;
}

export function createFollower({ thread, sender, listen, backoff }: FollowerOptions): Follower {
  const { mailbox } = thread;
  let waiting = 0;
  let end: (() => void) | undefined;

  function begin(): () => void {
    const refresher = createRefresher({
      backoff,
      async run(signal) {
        await thread.read(signal);
        if (sender.isDue && !mailbox.hasEnded) await sender.flush(signal);
        if (mailbox.hasEnded) stop();
      },
      report(error) {
        if (mailbox.hasEnded) stop();
        else mailbox.interrupt(error);
      },
    });
    const unlisten = listen(refresher.refresh);
    const stop = () => {
      unlisten();
      refresher.stop();
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
      mailbox.stop(error);
    },
  };
}
