import { readBody } from '@expert-relay/kit/http';
import { readAnswer, type ServiceClient } from '@expert-relay/kit/service-client';
import type { RequestHandler } from 'express';
import type { CompleteSignIn } from '../sign-in/complete-sign-in.ts';
import { SignInFailure } from '../sign-in/failure.ts';

interface UsedLink {
  readonly linkId: string;
  readonly userId: string;
  readonly name: string;
}

/** Signs in with a link that the admin command has printed. It works once. */
export const signInByLink =
  (options: { requests: ServiceClient; completeSignIn: CompleteSignIn }): RequestHandler =>
  async (request, response) => {
    const form = new URLSearchParams((await readBody(request, 4096)).toString('utf8'));
    const token = form.get('token');
    if (!token || token.length > 100) throw new SignInFailure('link_unusable');
    const answer = await options.requests.call({
      method: 'POST',
      path: '/internal/sign-in-links/use',
      principal: { kind: 'signin' },
      callId: response.locals.callId,
      json: { token },
    });
    const { link } = await readAnswer<{ link: UsedLink | null }>(answer);
    if (!link) throw new SignInFailure('link_unusable');
    const { linkId, userId, name } = link;
    const identity = {
      provider: 'link',
      subject: linkId,
      name,
      label: 'Sign-in link',
      verifiedEmails: [],
    } as const;
    await options.completeSignIn(request, response, identity, userId);
  };
