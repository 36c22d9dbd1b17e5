import { withTimeout } from '@expert-relay/sdk/internal';
import { readText } from '../../relay/fetch-answer.ts';
import { findHub } from '../../relay/find-hub.ts';
import { causeOf } from '../../relay/probe.ts';
import { looking } from '../../relay/timing.ts';
import { type Finding, fail, ok, warn } from './finding.ts';

const { timeoutMs } = looking;
const pollingWorks = 'Answers still arrive a few seconds later, by polling.';

export interface HubLook {
  url: string;
  /** The setting. Without it, the gateway is asked. */
  hubUrl: string | undefined;
  topic: string;
  apiKey: string | undefined;
  signal: AbortSignal;
  now: () => number;
}

/** Whether events arrive: a stream is opened and must send something at once. */
export async function checkHub(hub: HubLook): Promise<Finding[]> {
  const { url, signal } = hub;
  const hubUrl = hub.hubUrl ?? (await findHub(url, signal));
  if (hubUrl === undefined) {
    return [warn('hub', `${url} does not say where its hub is`, `Set RELAY_HUB_URL. ${pollingWorks}`)];
  }
  return [ok('hub', hubUrl), await openStream(hub, hubUrl)];
}

async function openStream({ topic, apiKey, signal, now }: HubLook, hubUrl: string): Promise<Finding> {
  const before = now();
  const address = new URL(hubUrl);
  address.searchParams.set('topic', topic);
  const headers = { accept: 'text/event-stream', ...(apiKey && { 'x-api-key': apiKey }) };
  try {
    const { status, isStream, length } = await withTimeout(timeoutMs, signal, async (inTime) => {
      const answer = await fetch(address, { headers, redirect: 'error', signal: inTime });
      const isStream =
        answer.status === 200 && answer.headers.get('content-type')?.startsWith('text/event-stream');
      if (!isStream) await answer.body?.cancel();
      const length = isStream ? await readBeginning(answer, inTime) : 0;
      return { status: answer.status, isStream, length };
    });
    if (status === 401 || status === 403) {
      return fail(
        'stream',
        `the hub does not accept this key (${status})`,
        'Check that RELAY_HUB_URL belongs to RELAY_URL.',
      );
    }
    if (!isStream) {
      return fail('stream', `${hubUrl} opens no stream (${status})`, `Check RELAY_HUB_URL. ${pollingWorks}`);
    }
    if (length === 0) {
      return warn(
        'stream',
        'ends before it sends anything: the hub is full, or stops',
        `Try again in a minute. ${pollingWorks}`,
      );
    }
    return ok('stream', `arrives, the first bytes after ${now() - before} ms`);
  } catch (error) {
    signal.throwIfAborted();
    const { trouble, next } = causeOf(error);
    const held = trouble.startsWith('did not answer') ? 'a proxy on the way may hold streams back' : trouble;
    return warn('stream', `${hubUrl}: ${held}`, `${next} ${pollingWorks}`);
  }
}

/** Reads the first bytes of a stream, and ends it. Returns their number: 0 when it ends without any. */
async function readBeginning(answer: Response, inTime: AbortSignal): Promise<number> {
  let length = 0;
  await readText(answer, inTime, (piece) => {
    length += piece.length;
    return length > 0;
  });
  return length;
}
