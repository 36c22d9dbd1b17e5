import type { Clock } from '@expert-relay/kit/clock';
import { defineRoute, parseQuery, type Route } from '@expert-relay/kit/http';
import { Problem } from '@expert-relay/kit/problem';
import { readJson, type ServiceClient } from '@expert-relay/kit/service-client';
import type { Request } from 'express';
import * as z from 'zod';
import type { Sessions } from '../session/sessions.ts';
import { SignInFailure } from '../sign-in/failure.ts';
import type { OAuthFlow } from '../sign-in/oauth-flow.ts';
import { callService, forwardResponse } from './proxy-to-service.ts';

export interface IdentityContext {
  readonly requests: ServiceClient;
  readonly sessions: Sessions;
  readonly flows: readonly OAuthFlow[];
  readonly devLogin: boolean;
  readonly clock: Clock;
}

const recentSignInMs = 10 * 60_000;

/**
 * Requires that the session began in the last ten minutes. Otherwise a copied cookie would be enough to add an account, and to sign in
 * with it for ever. It does not protect a browser that was left open: its provider may sign the person in again without a question.
 */
function requireRecentSignIn({ user }: Request, clock: Clock): void {
  if (!((user?.createdAt ?? 0) + recentSignInMs > clock.now())) throw new Problem('sign_in_again');
}

/** Lists the accounts that the user signs in with, and the providers whose accounts can be added. */
const listIdentities = ({ requests, flows }: IdentityContext): Route =>
  defineRoute({
    method: 'get',
    path: '/api/identities',
    allow: ['session'],
    async handle(call, response) {
      const result = await callService(
        requests,
        { method: 'GET', to: '/internal/identities' },
        call,
        response,
      );
      if (result.statusCode !== 200) return forwardResponse(result);
      const body = await readJson<{ identities: readonly object[] }>(result);
      const providers = flows.map(({ provider }) => provider.name);
      const titles = Object.fromEntries(flows.map(({ provider }) => [provider.name, provider.title]));
      return { status: 200, body: { ...body, providers, titles } };
    },
  });

const beginQuery = z.object({ again: z.enum(['true', 'false'], 'Expected true or false.').default('false') });

/**
 * Begins to add an account to the user who is signed in; with `?again=true`, another sign-in of this user. The page then
 * opens the address in the response.
 */
const addIdentity = ({ flows, clock }: IdentityContext): Route =>
  defineRoute({
    method: 'post',
    path: '/api/identities/:provider',
    allow: ['session'],
    async handle({ principal: { sessionId }, params, query }, response) {
      const { again } = parseQuery(beginQuery, query);
      const flow = flows.find(({ provider }) => provider.name === params.provider);
      if (!flow) throw new Problem('not_found');
      if (again === 'false') requireRecentSignIn(response.req, clock);
      const purpose = again === 'true' ? {} : { addToSessionId: sessionId };
      const location = await flow.begin(response, purpose).catch((error) => {
        if (!(error instanceof SignInFailure)) throw error;
        throw new Problem('unavailable', {
          detail: `${flow.provider.title} does not respond. Nothing was changed.`,
          headers: { 'retry-after': '30' },
          cause: error,
        });
      });
      return { status: 200, body: { location: location.href } };
    },
  });

/** Removes an account from the user, and ends all sessions that began with it, which may include this one. */
const removeIdentity = ({ requests, sessions, flows, devLogin, clock }: IdentityContext): Route =>
  defineRoute({
    method: 'delete',
    path: '/api/identities/:provider',
    allow: ['session'],
    async handle({ principal, callId, params: { provider = '' } }, { req }) {
      requireRecentSignIn(req, clock);
      // The user must have another account to sign in with here.
      const usable = [...flows.map((flow) => flow.provider.name), ...(devLogin ? ['dev'] : [])];
      // The response is not passed on: the sessions must end even if the client closes the connection.
      const result = await requests.call({
        method: 'DELETE',
        path: `/internal/identities/${encodeURIComponent(provider)}?usable=${usable.join()}`,
        route: '/internal/identities/:provider',
        principal,
        callId,
      });
      // Sessions that began with a removed account are not open any more: this ends their streams, too. After 404 as well, since the
      // call before may have failed here.
      if ([204, 404].includes(result.statusCode)) await sessions.list(principal, callId);
      return forwardResponse(result);
    },
  });

export const manageIdentities = (context: IdentityContext): readonly Route[] => [
  listIdentities(context),
  addIdentity(context),
  removeIdentity(context),
];
