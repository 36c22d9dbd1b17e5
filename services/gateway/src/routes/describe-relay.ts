import { sendResponse } from '@expert-relay/kit/http';
import type { EdgeStep } from '../call/edge-call.ts';

/** Responds with the address of the hub, so that clients need only the gateway's address in their configuration. */
export function describeRelay({ hubUrl, version }: { hubUrl: string; version: string }): EdgeStep {
  return (_request, response) => sendResponse(response, { status: 200, body: { hubUrl, version } });
}

/** Names the hub in the response to a submit too, so that an agent that asks needs no call for it. */
export function nameHub(hubUrl: string): EdgeStep {
  return (_request, response, next) => {
    response.setHeader('relay-hub', hubUrl);
    next();
  };
}
