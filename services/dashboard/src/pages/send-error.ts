import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Problem, sendProblem } from '@expert-relay/kit/problem';
import type { Response } from 'express';
import { html, sendPage } from './page.ts';

const retrySeconds = 5;

/** Sends an error: as a page to a browser that navigates, as problem JSON to scripts. */
export function sendError(response: ServerResponse, problem: Problem): void {
  if (response.headersSent || !isNavigation(response.req)) {
    sendProblem(response, problem);
    return;
  }
  const { status, headers } = problem;
  if (status === 503) {
    // A form must not be sent again automatically.
    const isRead = response.req.method === 'GET';
    sendPage(response as Response, {
      title: 'Back in a moment',
      status,
      headers: { ...headers, ...(isRead && { refresh: String(retrySeconds) }) },
      body: isRead
        ? html`<p>A part of Expert Relay cannot be reached right now. Nothing was lost.</p>
            <p class="quiet" role="status">This page tries again every ${String(retrySeconds)} seconds.</p>`
        : html`<p>A part of Expert Relay cannot be reached right now. Go back and try again.</p>`,
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

/** The API's own sentence is about methods and requests. */
const pageNotFound = { title: 'Page not found', detail: 'There is no page at this address.' };

const isNavigation = ({ headers, url = '' }: IncomingMessage): boolean =>
  (headers.accept ?? '').includes('text/html') && !url.startsWith('/api/');
