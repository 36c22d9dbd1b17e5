import type { RequestHandler } from 'express';
import { sendPage } from '../pages/page.ts';

/** What an expert sees before the web app: who is signed in, and the way out. */
export const showDashboard = (): RequestHandler => (_request, response) =>
  sendPage(response, {
    title: 'Expert Relay',
    body:
      '<p>You are signed in. Your requests: <a href="/api/requests">/api/requests</a>, ' +
      'your keys: <a href="/api/keys">/api/keys</a>.</p>' +
      '<form method="post" action="/logout"><button>Sign out</button></form>',
  });
