import { readBody, sendAnswer } from '@expert-relay/kit/http';
import { Problem } from '@expert-relay/kit/problem';
import type { RequestHandler } from 'express';
import { SignInFailure } from '../sign-in/failure.ts';
import type { OAuthFlow } from '../sign-in/oauth-flow.ts';
import { requireUser } from './proxy-to-service.ts';

/** Begins to add an account to the user who is signed in: the page then opens the address that this gives. */
export const joinAccount =
  (flows: readonly OAuthFlow[]): RequestHandler =>
  async (request, response) => {
    const { sessionId } = requireUser(request);
    await readBody(request);
    const flow = flows.find(({ provider }) => provider.name === request.params.provider);
    if (!flow) throw new Problem('not_found');
    const location = await flow.begin(response, { joins: sessionId }).catch((error) => {
      if (!(error instanceof SignInFailure)) throw error;
      throw new Problem('unavailable', {
        detail: `${flow.provider.title} does not answer. Nothing was changed.`,
        headers: { 'retry-after': '30' },
        cause: error,
      });
    });
    await sendAnswer(response, { status: 200, body: { location: location.href } });
  };
