import { openOwnRelay } from './open-relay.ts';

/*
 * A relay in a process of its own, for as long as whoever started it holds the other end of stdin. Says where it
 * is in one line of JSON.
 */
const { url, hubUrl, stop } = await openOwnRelay();
process.stdout.write(`${JSON.stringify({ url, hubUrl })}\n`);
process.stdin.resume().once('end', () => void stop());
