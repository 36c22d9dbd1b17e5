import { defineRoute, type Route } from '@expert-relay/kit/http';
import { readAnswer, type ServiceClient } from '@expert-relay/kit/service-client';
import { callService, forwardAnswer } from './proxy-to-service.ts';

/** Returns who is signed in, which the requests service knows, and the address of the hub. */
export const getMe = ({ requests, hubUrl }: { requests: ServiceClient; hubUrl: string }): Route =>
  defineRoute({
    method: 'get',
    path: '/api/me',
    allow: ['session'],
    async handle(call, response) {
      // A HEAD is sent as GET too, since its content-length includes the member that is added here.
      const answer = await callService(requests, { method: 'GET', to: '/internal/me' }, call, response);
      if (answer.statusCode !== 200) return forwardAnswer(answer);
      return { status: 200, body: { ...(await readAnswer<object>(answer)), hubUrl } };
    },
  });
