import type { IncomingMessage, ServerResponse } from 'node:http';
import { isRead } from '../http/index.ts';
import { type FormattedResponse, formatProblem, type Problem, sendFormatted } from '../problem/index.ts';
import { formatPage, html } from './page.ts';

const retrySeconds = 5;
/** A call with these statuses had no effect, and may succeed a little later. */
const temporary: ReadonlySet<number> = new Set([429, 503]);

/** The response that reports a problem: a page to a browser that navigates, problem JSON to scripts. */
export function formatError(request: IncomingMessage, problem: Problem): FormattedResponse {
  if (!isNavigation(request)) return formatProblem(problem);
  const { status, headers } = problem;
  if (!temporary.has(status)) {
    const { title, detail } = problem.code === 'not_found' ? pageNotFound : sentencesOf(problem);
    const next = html`<div class="actions"><a class="button main" href="/dashboard">To the dashboard</a></div>`;
    return formatPage({ title, status, headers, body: html`<p>${detail}</p>${next}` });
  }
  const { title, detail } = status === 429 ? sentencesOf(problem) : away;
  // A form must not be sent again automatically.
  if (!isRead(request.method)) {
    return formatPage({ title, status, headers, body: html`<p>${detail}</p><p>Go back and try again.</p>` });
  }
  const seconds = String(Math.max(retrySeconds, Number(headers['retry-after']) || 0));
  return formatPage({
    title,
    status,
    headers: { ...headers, refresh: seconds },
    body: html`<p>${detail}</p><p class="quiet" role="status">This page tries again every ${seconds} seconds.</p>`,
  });
}

/** Responds with a problem, as `formatError` says; a response that was started already is cut off. */
export const sendError = (response: ServerResponse, problem: Problem): void =>
  sendFormatted(response, formatError(response.req, problem));

const sentencesOf = (problem: Problem) => problem.toJSON() as { title: string; detail: string };

/** The API's own sentence is about methods and requests. */
const pageNotFound = { title: 'Page not found', detail: 'There is no page at this address.' };
const away = {
  title: 'Back in a moment',
  detail: 'A part of Expert Relay cannot be reached right now. Nothing was lost.',
};

/** The files of the web app are no pages, also where a browser says that it would take one. */
const isNavigation = ({ headers, url = '' }: IncomingMessage): boolean =>
  (headers.accept ?? '').includes('text/html') && !/^\/(?:api|dashboard\/(?:assets|icons))\//.test(url);
