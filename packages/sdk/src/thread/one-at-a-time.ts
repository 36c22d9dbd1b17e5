import { RelayError } from '../relay-error.ts';
import { orAbort } from '../transport/waiting.ts';
import type { Sender } from './sender.ts';

/** Sends one text at a time: another one that waits is sent before it. */
export function oneAtATime(sender: Sender): Sender['send'] {
  const { texts } = sender;
  /** The call that has not ended. */
  let sending: Promise<void> | undefined;

  return async (text, options) => {
    const { messageId, signal } = options;
    // Another answer takes the place of one that is held.
    const isFree = () =>
      texts.all.every((draft) => draft.messageId === messageId || texts.stateOf(draft) === 'held');
    while (sending) await orAbort(signal, sending);
    const result = isFree() ? sender.send(text, options) : sendBehind();
    sending = result.then(
      () => {},
      () => {},
    );
    try {
      return await result;
    } finally {
      sending = undefined;
    }

    async function sendBehind() {
      if (texts.isDue) await sender.flush(signal);
      if (!isFree()) throw anotherWaits();
      return await sender.send(text, options);
    }
  };
}

const anotherWaits = () =>
  new RelayError('conflict', 'Not sent: another answer to this request waits. Send or discard it first.');
