import { createHash } from 'node:crypto';
import type { Response } from 'express';

const style = `
  :root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
  body { max-width: 30rem; margin: 15vh auto; padding: 0 1.25rem; }
  h1 { font-size: 1.5rem; }
  button, a.button { font: inherit; padding: .6rem 1.2rem; border-radius: .5rem; border: 1px solid; cursor: pointer; }
  code { background: #8882; padding: .1rem .3rem; border-radius: .25rem; }
`;

const policy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Sends a page. `body` is HTML: whatever came from outside must have gone through `escapeHtml`. */
export function sendPage(response: Response, page: { title: string; body: string; status?: number }): void {
  response
    .status(page.status ?? 200)
    .set({ 'content-security-policy': policy, 'cache-control': 'no-store' })
    .type('html')
    .send(
      `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">` +
        `<title>${escapeHtml(page.title)} · Expert Relay</title><style>${style}</style></head>` +
        `<body><main><h1>${escapeHtml(page.title)}</h1>${page.body}</main></body></html>`,
    );
}

const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const escapeHtml = (text: string): string => text.replaceAll(/[&<>"']/g, (sign) => entities[sign] ?? sign);
