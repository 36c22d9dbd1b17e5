import { openOwnRelay } from './open-relay.ts';

/*
 * Runs a relay in its own process until stdin is closed. Prints its URLs in one line of JSON.
 */
const { url, hubUrl, stop } = await openOwnRelay();
process.stdout.write(`${JSON.stringify({ url, hubUrl })}\n`);
process.stdin.resume().once('end', () => {
  void stop();
  // The servers of a run that was interrupted are gone, and nothing can be closed in order.
  setTimeout(() => process.exit(1), 20_000).unref();
});
