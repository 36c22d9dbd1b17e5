import { extname } from 'node:path';
import { Problem, sendProblem } from '@expert-relay/kit/problem';
import type { RequestHandler } from 'express';
import type { WebApp } from '../web/read-web-app.ts';
import { chooseEncoding } from '../web/read-web-app.ts';

/** Paths that only files can have. All other paths that are not a file show the page. */
const filePaths =
  /^\/(?:favicon\.ico|dashboard\/(?:(?:assets|icons)(?:\/.*)?|check-browser\.js|manifest\.webmanifest|service-worker\.js))$/;

/** Serves the files of the web app to everybody, since they contain nothing secret. */
export const sendWebFile =
  ({ files }: WebApp): RequestHandler =>
  (request, response, next) => {
    const { path, method } = request;
    const file = files.get(path);
    if (!(file || filePaths.test(path)) || (method !== 'GET' && method !== 'HEAD')) {
      next();
      return;
    }
    response.locals.route = 'web file';
    if (!file) {
      // Not as HTML, even if the client accepts it: a browser that asks for a script must not get a page.
      sendProblem(response, new Problem('not_found', { detail: 'There is no file at this address.' }));
      return;
    }
    const encoding = chooseEncoding(request.get('accept-encoding'), file.compressed);
    const body = (encoding && file.compressed.get(encoding)) ?? file.content;
    if (file.compressed.size > 0) response.vary('accept-encoding');
    if (encoding) response.set('content-encoding', encoding);
    response
      .set({ 'cache-control': cacheControl(path), etag: file.etag })
      .type(extname(path))
      .send(body);
  };

function cacheControl(path: string): string {
  // The names of these files contain a hash of their content.
  if (path.startsWith('/dashboard/assets/')) return 'public, max-age=31536000, immutable';
  return /\/icons\/|\.ico$/.test(path) ? 'public, max-age=86400' : 'no-cache';
}
