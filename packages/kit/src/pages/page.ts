import { createHash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { type FormattedResponse, sendFormatted } from '../problem/index.ts';

const style = `
:root {
  color-scheme: light dark;
  --page: #f6f7f8; --surface: #fff; --edge: #d5d9de; --text: #1b1f24; --text-quiet: #59636e;
  --accent: #0b5cad; --accent-text: #fff; --control-edge: #818b98;
  font: 400 16px/1.5 system-ui, sans-serif;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #101317; --surface: #181c21; --edge: #30363d; --text: #e6e9ec; --text-quiet: #a3adb8;
    --accent: #6cb2f5; --accent-text: #0b1017; --control-edge: #6e7883;
  }
}
* { box-sizing: border-box; }
body { margin: 0; min-height: 100svh; display: grid; place-items: center; padding: 24px 16px; background: var(--page); color: var(--text); }
main { width: 100%; max-width: 400px; padding: 32px; background: var(--surface); border: 1px solid var(--edge); border-radius: 6px; }
.product { margin: 0 0 24px; font-size: 14px; font-weight: 600; color: var(--text-quiet); }
h1 { margin: 0 0 8px; font-size: 20px; line-height: 1.3; font-weight: 600; }
p { margin: 0 0 16px; overflow-wrap: anywhere; }
p:last-child, form:last-child { margin-bottom: 0; }
.quiet { font-size: 14px; color: var(--text-quiet); }
.actions { display: grid; gap: 12px; margin: 24px 0 16px; }
.actions:last-child { margin-bottom: 0; }
form { margin: 0; }
.button { display: block; width: 100%; min-height: 44px; padding: 10px 16px; border: 1px solid var(--control-edge); border-radius: 6px;
  background: var(--surface); color: var(--text); font: inherit; font-weight: 600; line-height: 22px; text-align: center; text-decoration: none; cursor: pointer; }
.button:hover { border-color: var(--text); }
.button.main { background: var(--accent); border-color: var(--accent); color: var(--accent-text); }
.button.main:hover { border-color: var(--text); }
a { color: var(--accent); }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
code { padding: 1px 4px; border-radius: 4px; background: var(--page); font: 14px/1.5 ui-monospace, monospace; overflow-wrap: anywhere; }
ul { margin: 0 0 16px; padding-left: 20px; }
@media (max-width: 480px) {
  body { place-items: start stretch; padding: 0; background: var(--surface); }
  main { max-width: none; border: 0; padding: 24px 20px; }
}
`;

const policy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
  // For the icon at /favicon.ico.
  "img-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Text that is already HTML. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** Makes HTML of a template. Values are escaped unless they are `Html`. */
export function html(
  parts: TemplateStringsArray,
  ...values: readonly (string | Html | readonly Html[])[]
): Html {
  const shown = values.map((value) => {
    if (value instanceof Html) return value.text;
    return typeof value === 'string' ? escapeHtml(value) : value.map(({ text }) => text).join('');
  });
  return new Html(parts.map((part, at) => part + (shown[at] ?? '')).join(''));
}

export interface Page {
  readonly title: string;
  readonly body: Html;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

export function formatPage({ title, body, status = 200, headers }: Page): FormattedResponse {
  const text =
    `<!doctype html><html lang="en"><head><meta charset="utf-8">` +
    `<meta name="viewport" content="width=device-width, initial-scale=1">` +
    `<title>${escapeHtml(title)} · Expert Relay</title><style>${style}</style></head>` +
    `<body><main><p class="product">Expert Relay</p><h1>${escapeHtml(title)}</h1>${body.text}</main></body></html>`;
  return {
    status,
    headers: {
      'content-security-policy': policy,
      'cache-control': 'no-store',
      ...headers,
      'content-type': 'text/html; charset=utf-8',
      'content-length': Buffer.byteLength(text),
    },
    body: text,
  };
}

export const sendPage = (response: ServerResponse, page: Page): void =>
  sendFormatted(response, formatPage(page));

const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const escapeHtml = (text: string): string => text.replaceAll(/[&<>"']/g, (sign) => entities[sign] ?? sign);
