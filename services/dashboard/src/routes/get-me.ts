import { sendAnswer } from '@expert-relay/kit/http';
import { readAnswer, type ServiceClient } from '@expert-relay/kit/service-client';
import type { RequestHandler } from 'express';
import { callService, sendOn } from './proxy-to-service.ts';

/** Who is signed in, and where to listen: the database's part comes from requests, the hub's address is ours. */
export const getMe =
  ({ requests, hubUrl }: { requests: ServiceClient; hubUrl: string }): RequestHandler =>
  async (request, response) => {
    // A GET for a HEAD too: its length includes what is added here.
    const answer = await callService(requests, { method: 'GET', to: '/internal/me' }, request, response);
    if (answer.statusCode !== 200) return sendOn(answer, response);
    const me = await readAnswer<object>(answer);
    await sendAnswer(response, { status: 200, body: { ...me, hubUrl } });
  };
