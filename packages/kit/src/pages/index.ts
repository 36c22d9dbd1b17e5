export { formatError, sendError } from './format-error.ts';
export { type Html, html, type Page, sendPage } from './page.ts';
