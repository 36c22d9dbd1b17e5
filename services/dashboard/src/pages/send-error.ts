import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Problem, sendProblem } from '@expert-relay/kit/problem';
import type { Response } from 'express';
import { html, sendPage } from './page.ts';

const retrySeconds = 5;

/** Answers an error: with a page if a browser navigates, with the problem itself to scripts. */
export function sendError(response: ServerResponse, problem: Problem): void {
  if (response.headersSent || !isNavigation(response.req)) {
    sendProblem(response, problem);
    return;
  }
  const { status, headers } = problem;
  if (status === 503) {
    // What was posted is not sent again by itself.
    const isRead = response.req.method === 'GET';
    sendPage(response as Response, {
      title: 'Back in a moment',
      status,
      headers: { ...headers, ...(isRead && { refresh: String(retrySeconds) }) },
      body: isRead
        ? html`<p>Expert Relay cannot reach a part of itself right now. Nothing was lost.</p>
            <p class="quiet" role="status">This page tries again every ${String(retrySeconds)} seconds.</p>`
        : html`<p>Expert Relay cannot reach a part of itself right now. Go back and try again.</p>`,
    });
    return;
  }
  const { title, detail } =
    problem.code === 'not_found' ? pageNotFound : (problem.toJSON() as { title: string; detail: string });
  sendPage(response as Response, {
    title,
    status,
    headers,
    body: html`<p>${detail}</p><div class="actions"><a class="button main" href="/dashboard">To the dashboard</a></div>`,
  });
}

/** What the API says here is about methods and requests. */
const pageNotFound = { title: 'Page not found', detail: 'There is no page at this address.' };

const isNavigation = ({ headers, url = '' }: IncomingMessage): boolean =>
  (headers.accept ?? '').includes('text/html') && !url.startsWith('/api/');
