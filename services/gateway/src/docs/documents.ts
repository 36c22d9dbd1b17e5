import { openapi } from '../generated/openapi.ts';
import { apiDocument } from './api-document.ts';
import { showPage } from './show-page.ts';
import { style } from './style.ts';

/** What the edge has to say about itself, by path; made once. */
export const documents = {
  '/api/openapi.json': { type: 'application/json; charset=utf-8', text: openapi },
  '/docs': { type: 'text/html; charset=utf-8', text: showPage(apiDocument) },
  '/docs/style.css': { type: 'text/css; charset=utf-8', text: style },
} as const;
