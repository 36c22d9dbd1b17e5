import type { RelayError } from '../relay-error.ts';
import type { Api } from '../transport/api.ts';
import { Refresher } from './refresher.ts';
import type { Sender } from './sender.ts';
import type { Thread } from './thread.ts';

export interface FollowerOptions {
  readonly thread: Thread;
  readonly sender: Sender;
  /** Calls back when there may be news, and once soon after the start. Returns a function that stops this. */
  readonly listen: (refresh: () => void) => () => void;
  readonly backoff: Api['backoff'];
}

export type Follower = ReturnType<typeof createFollower>;

/**
 * Keeps a conversation up to date while at least one caller waits for it. While no caller waits, the follower keeps no connection
 * open. `listen` says when there may be news: for experts after each event, for agents as the read scheduler decides. Then the
 * refresher reads until it succeeds.
 */
export function createFollower({ thread, sender, listen, backoff }: FollowerOptions) {
  const { mailbox } = thread;
  let waiting = 0;
  let end: (() => void) | undefined;

  function startReading(): () => void {
    const report = (error: RelayError) => {
      if (mailbox.hasEnded) stop();
      else mailbox.interrupt(error);
    };
    const reading = new Refresher({
      backoff,
      async run(signal) {
        await thread.read(signal);
        if (mailbox.hasEnded) stop();
        else if (sender.texts.isDue) sending.refresh();
      },
      report,
    });
    // News are read also while a text is being sent, which takes as long as its author can take it back.
    const sending = new Refresher({
      backoff,
      async run(signal, failures) {
        // The other side may have ended it meanwhile.
        if (failures > 0) await thread.read(signal);
        if (sender.texts.isDue && !mailbox.hasEnded) await sender.flush(signal);
        if (mailbox.hasEnded) stop();
      },
      report,
    });
    const unlisten = listen(() => reading.refresh());
    const stop = () => {
      unlisten();
      reading.stop();
      sending.stop();
    };
    return stop;
  }

  function finish(): void {
    end?.();
    end = undefined;
  }

  return {
    /** Starts to wait. Returns a function that stops it. */
    follow(): () => void {
      waiting += 1;
      if (!mailbox.hasEnded) end ??= startReading();
      let isWaiting = true;
      return () => {
        if (!isWaiting) return;
        isWaiting = false;
        waiting -= 1;
        if (waiting === 0) finish();
      };
    },
    /** Rejects waiting and later calls with this error. */
    stop(error: RelayError): void {
      finish();
      mailbox.stop(error);
    },
  };
}
