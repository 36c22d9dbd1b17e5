import { readBody } from '@expert-relay/kit/http';
import { html, sendPage } from '@expert-relay/kit/pages';
import { Problem } from '@expert-relay/kit/problem';
import type { ServiceClient } from '@expert-relay/kit/service-client';
import type { RequestHandler } from 'express';

const title = 'Stop emails';

function linkIn(address: string): { channel: string; token: string } {
  const { searchParams } = new URL(address, 'http://relay.invalid');
  return { channel: searchParams.get('channel') ?? '', token: searchParams.get('token') ?? '' };
}

/** Opening the link changes nothing, since mail programs open links to check them. */
export const showStopEmails: RequestHandler = (request, response) => {
  const { channel, token } = linkIn(request.originalUrl);
  const action = `/unsubscribe?${new URLSearchParams({ channel, token })}`;
  const body = html`<p>This stops the emails that you got this link with, and all emails that ask to confirm your address.</p>
    <p>If you want them again later, sign in with this address and confirm it, or ask the operator of this relay. Emails that you have
      confirmed for another account have a link of their own.</p>
    <form class="actions" method="post" action="${action}"><button class="button main">Stop emails</button></form>`;
  sendPage(response, { title, body });
};

/** For the button, and for the mail programs that offer it themselves (RFC 8058). It needs no session. */
export const stopEmails =
  (notifier: ServiceClient): RequestHandler =>
  async (request, response) => {
    // Its content is always the same.
    await readBody(request, 4096);
    const result = await notifier.call({
      method: 'POST',
      path: '/internal/unsubscribe',
      principal: { kind: 'nobody' },
      callId: response.locals.callId,
      json: linkIn(request.originalUrl),
    });
    result.resume();
    if (result.statusCode !== 204) {
      const isUnknown = result.statusCode === 404 || result.statusCode === 400;
      if (!isUnknown) throw new Problem('unavailable', { headers: { 'retry-after': '5' } });
      const body = html`<p>This link does not work any more. Emails can be stopped in the settings, too.</p>`;
      sendPage(response, { title, body, status: 404 });
      return;
    }
    sendPage(response, {
      title,
      body: html`<p>These emails are stopped. One that is under way may still arrive.</p>`,
    });
  };
