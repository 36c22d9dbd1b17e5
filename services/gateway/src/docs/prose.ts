import { Html, html } from './html.ts';

/** The little of Markdown that the document's texts use: paragraphs, `code`, **bold**, *emphasis*. */
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
