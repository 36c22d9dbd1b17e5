const allowed = new Set(['http:', 'https:', 'mailto:']);

export interface Link {
  readonly href: string;
  /** The host, shown after the link's text. Undefined when the text already shows it. */
  readonly target: string | undefined;
}

/** Accepts absolute addresses of pages and mailboxes as links. */
export function readLink(href: string, text: string): Link | undefined {
  // Without a base, since a relative address would lead into this app.
  const url = URL.parse?.(href) ?? parse(href);
  if (!url || !allowed.has(url.protocol)) return undefined;
  if (url.protocol === 'mailto:') {
    const target = decode(url.pathname);
    return { href: url.href, target: text.trim() === target ? undefined : target };
  }
  if (url.host === '') return undefined;
  return { href: url.href, target: namesHost(text.trim(), url) ? undefined : url.host };
}

/** Whether a text is the link's host or an address at it, in ASCII only, since other letters can look the same. */
function namesHost(text: string, url: URL): boolean {
  if (!/^[\x21-\x7e]+$/.test(text)) return false;
  const shown = parse(/^https?:\/\//i.test(text) ? text : `https://${text}`);
  return shown !== undefined && shown.host === url.host && shown.username === '' && shown.password === '';
}

function parse(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
