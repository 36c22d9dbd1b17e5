import { readJson, type ServiceClient } from '@expert-relay/kit/service-client';
import type { RequestHandler } from 'express';
import type { Sessions } from '../session/sessions.ts';

/** Leads from the code of a request, which notifications contain, to its page. The id is not in them. */
export const openByCode =
  (requests: ServiceClient, sessions: Sessions): RequestHandler<{ refCode: string }> =>
  async (request, response) => {
    const { user } = request;
    const { refCode } = request.params;
    if (!user) throw new Error('The session must be required before this route.');
    const result = await requests.call({
      method: 'GET',
      path: `/api/v1/requests/by-ref/${encodeURIComponent(refCode)}`,
      route: '/api/v1/requests/by-ref/:refCode',
      principal: sessions.principalOf(user),
      callId: response.locals.callId,
    });
    const { statusCode } = result;
    if (statusCode !== 200 && statusCode < 500) {
      result.resume();
      // The page says that there is no such request.
      response.redirect(303, `/dashboard/requests/${encodeURIComponent(refCode)}`);
      return;
    }
    const { requestId } = await readJson<{ requestId: string }>(result);
    response.redirect(303, `/dashboard/requests/${encodeURIComponent(requestId)}`);
  };
