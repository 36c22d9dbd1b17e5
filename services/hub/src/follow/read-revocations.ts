import type { Revocations } from '../authorise/revocations.ts';
import { readEvent } from '../feed/read-event.ts';
import type { StreamSource } from './stream-source.ts';

/** Reads what was revoked lately, so that a hub that starts refuses tokens from before. */
export async function readRevocations(
  source: StreamSource,
  revocations: Revocations,
  since: Date,
): Promise<void> {
  const consumer = await source.openRevocations(since);
  try {
    if (consumer.pending === 0) return;
    await new Promise<void>((resolve, reject) => {
      let left = consumer.pending;
      consumer.begin(({ bytes }) => {
        const event = readEvent(bytes);
        if (event) revocations.learn(event);
        if (--left === 0) resolve();
      });
      consumer.ended.then((reason) => reject(new Error(reason)), reject);
    });
  } finally {
    consumer.end('read');
  }
}
