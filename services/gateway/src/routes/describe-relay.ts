import { sendAnswer } from '@expert-relay/kit/http';
import type { EdgeStep } from '../edge-call.ts';

/** What a client needs beside the gateway's address: with it one address is enough to configure. */
export function describeRelay({ hubUrl, version }: { hubUrl: string; version: string }): EdgeStep {
  return (_request, response) => sendAnswer(response, { status: 200, body: { hubUrl, version } });
}
