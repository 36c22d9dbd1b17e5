import { defineRoute, type Route } from '@expert-relay/kit/http';
import { readJson, type ServiceClient } from '@expert-relay/kit/service-client';
import { callService, forwardResponse } from './proxy-to-service.ts';

/** Returns who is signed in, which the requests service knows, and the address of the hub. */
export const getMe = ({ requests, hubUrl }: { requests: ServiceClient; hubUrl: string }): Route =>
  defineRoute({
    method: 'get',
    path: '/api/me',
    allow: ['session'],
    async handle(call, response) {
      // A HEAD is sent as GET too, since its content-length includes the member that is added here.
      const result = await callService(requests, { method: 'GET', to: '/internal/me' }, call, response);
      if (result.statusCode !== 200) return forwardResponse(result);
      return { status: 200, body: { ...(await readJson<object>(result)), hubUrl } };
    },
  });
