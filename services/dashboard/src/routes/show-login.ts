import type { RequestHandler } from 'express';
import { sendPage } from '../pages/page.ts';

/** Where everybody without a session is sent. */
export const showLogin = ({ devLogin }: { devLogin: boolean }): RequestHandler => {
  const ways = devLogin
    ? `<form method="post" action="/auth/dev"><input type="hidden" name="user" value="dev">
       <button>Sign in as dev</button></form><p>This button exists in the local run only.</p>`
    : '<p>Nobody can sign in here yet: no sign-in is configured.</p>';
  return (_request, response) => sendPage(response, { title: 'Sign in', body: ways });
};
