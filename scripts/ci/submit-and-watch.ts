import { deepStrictEqual } from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import type { DevJson } from '../local/dev-json.ts';

const limit = 5_000;

/** Subscribes to the provider topic, submits, and returns how many milliseconds later the event was there. */
export async function submitAndWatch({
  gatewayUrl,
  hubUrl,
  userId,
  consumerKey,
  providerKey,
}: DevJson): Promise<number> {
  const stop = new AbortController();
  try {
    const address = new URL(hubUrl);
    address.searchParams.set('topic', `/svc/providers/${userId}`);
    const stream = await fetch(address, { headers: { 'x-api-key': providerKey }, signal: stop.signal });
    if (!stream.ok || !stream.body)
      throw new Error(`The hub answered ${stream.status}: ${await stream.text()}`);

    const question = `Does a fresh clone work? ${crypto.randomUUID()}`;
    const began = performance.now();
    const refCode = await submit(gatewayUrl, {
      apiKey: consumerKey,
      messages: [],
      plaintext: 'Hello.',
      question,
    });
    const event = await Promise.race([
      untilEvent(stream.body, refCode),
      pause(limit, undefined, { ref: false }),
    ]);
    if (!event) throw new Error(`No event for ${refCode} came out of the hub within ${limit / 1000} s.`);
    deepStrictEqual(JSON.parse(event), { type: 'new_request', refCode, question });
    return performance.now() - began;
  } finally {
    stop.abort();
  }
}

async function submit(gatewayUrl: string, body: object): Promise<string> {
  const answer = await fetch(new URL('/api/v1/help', gatewayUrl), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const text = await answer.text();
  if (answer.status !== 201) throw new Error(`The submit was answered ${answer.status}: ${text}`);
  return JSON.parse(text).refCode;
}

async function untilEvent(body: ReadableStream<Uint8Array>, refCode: string): Promise<string | undefined> {
  let received = '';
  for await (const chunk of body.pipeThrough(new TextDecoderStream())) {
    received += chunk;
    const lines = received.split('\n');
    const data = lines.slice(0, -1).find((line) => line.startsWith('data:') && line.includes(refCode));
    if (data) return data.slice('data:'.length).trim();
  }
  return undefined;
}
