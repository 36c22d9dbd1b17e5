import { sendAnswer } from '@expert-relay/kit/http';
import { readAnswer, type ServiceClient } from '@expert-relay/kit/service-client';
import type { RequestHandler } from 'express';
import type { OAuthFlow } from '../sign-in/oauth-flow.ts';
import { callService, sendOn } from './proxy-to-service.ts';

/** The accounts that the user signs in with, and the providers of which one can be added. */
export const listIdentities =
  ({ requests, flows }: { requests: ServiceClient; flows: readonly OAuthFlow[] }): RequestHandler =>
  async (request, response) => {
    const answer = await callService(
      requests,
      { method: 'GET', to: '/internal/identities' },
      request,
      response,
    );
    if (answer.statusCode !== 200) return sendOn(answer, response);
    const body = await readAnswer<{ identities: readonly object[] }>(answer);
    const providers = flows.map(({ provider }) => provider.name);
    await sendAnswer(response, { status: 200, body: { ...body, providers } });
  };
