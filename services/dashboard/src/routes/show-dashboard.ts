import type { RequestHandler } from 'express';
import { html, sendPage } from '../pages/page.ts';

/** What an expert sees before the web app: links to the session API, and the way out. */
export const showDashboard = (): RequestHandler => (_request, response) =>
  sendPage(response, {
    title: 'You are signed in',
    body: html`<p>Your requests: <a href="/api/requests">/api/requests</a>, your keys:
        <a href="/api/keys">/api/keys</a>.</p>
      <form method="post" action="/logout"><button class="button">Sign out</button></form>`,
  });
