/** Text that is HTML, and is not escaped again. */
export class Html {
  constructor(readonly text: string) {}
}

type Part = Html | string | number | undefined | false | readonly Part[];

/** HTML from a template: each value is escaped, unless it is HTML itself. */
export function html(texts: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return new Html(texts.map((text, at) => text + (at < parts.length ? write(parts[at]) : '')).join(''));
}

function write(part: Part): string {
  if (part === undefined || part === false) return '';
  if (part instanceof Html) return part.text;
  if (Array.isArray(part)) return part.map(write).join('');
  return String(part).replace(/[&<>"']/g, (sign) => entities[sign] ?? sign);
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** The part of Markdown that the document uses: paragraphs, `code`, **bold**, *emphasis*. */
export function prose(text: string): Html {
  const paragraphs = text.trim().split(/\n\s*\n/);
  return html`${paragraphs.map((paragraph) => html`<p>${inline(paragraph)}</p>`)}`;
}

export function inline(text: string): Html {
  const marked = html`${text}`.text
    .replace(/`([^`]+)`/g, '<code>$1</code>')
    .replace(/\*\*([^*]+)\*\*/g, '<strong>$1</strong>')
    .replace(/(?<![/*\w])\*([^*\s][^*]*)\*(?![/*\w])/g, '<em>$1</em>');
  return new Html(marked);
}
