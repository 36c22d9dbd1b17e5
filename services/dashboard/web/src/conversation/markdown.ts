import DOMPurify from 'dompurify';
import { Marked } from 'marked';
import { readLink } from './links.ts';

const escapeHtml = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');

/** Limits: a wide table with short rows, or many uses of one long address, would make megabytes of a few kilobytes. */
const maxCells = 5_000;
const maxAddressLength = 2_000;

const marked = new Marked({
  gfm: true,
  breaks: true,
  async: false,
  tokenizer: {
    // `undefined`: it is not a table. `false`: the parser decides.
    table: (source) => (countCells(source) > maxCells ? undefined : false),
  },
  renderer: {
    // Text is never HTML: tags are shown as text.
    html: ({ text, block }) =>
      block ? `<p>${escapeHtml(text.trim()).replaceAll('\n', '<br>')}</p>` : escapeHtml(text),
    // Headings in a message must not become headings of the page.
    heading({ tokens }) {
      return `<p><strong>${this.parser.parseInline(tokens)}</strong></p>`;
    },
    // Nothing is loaded from other sites: an image becomes a link to its address.
    image: ({ href, text }) =>
      href.length > maxAddressLength
        ? escapeHtml(text)
        : `<a href="${escapeHtml(href)}">${escapeHtml(text || 'Image')}</a>`,
    link({ href, tokens }) {
      const text = this.parser.parseInline(tokens);
      return href.length > maxAddressLength ? text : `<a href="${escapeHtml(href)}">${text}</a>`;
    },
    checkbox: ({ checked }) => (checked ? '☑ ' : '☐ '),
  },
});

/** The number of cells of a table: each row gets as many cells as the first one. */
function countCells(source: string): number {
  const [, first = '', second = ''] = /^([^\n]*)\n([^\n]*)/.exec(source) ?? [];
  if (!/^[\s|:-]+$/.test(second)) return 0;
  const [block = ''] = source.split(/\n[ \t]*\n/, 1);
  return first.split('|').length * block.split('\n').length;
}

const tags = 'p br strong em del code pre ul ol li blockquote a table thead tbody tr th td hr'.split(' ');

/** Renders Markdown as elements that are safe to show. */
export function renderMarkdown(text: string): DocumentFragment {
  const fragment = DOMPurify.sanitize(marked.parse(text) as string, {
    ALLOWED_TAGS: tags,
    ALLOWED_ATTR: ['href', 'start'],
    ALLOW_ARIA_ATTR: false,
    ALLOW_DATA_ATTR: false,
    RETURN_DOM_FRAGMENT: true,
  });
  for (const anchor of fragment.querySelectorAll('a')) finishLink(anchor);
  for (const table of fragment.querySelectorAll('table')) wrap(table, 'table');
  for (const code of fragment.querySelectorAll('pre')) wrap(code, 'code').prepend(copyButton());
  for (const block of fragment.querySelectorAll('p, li, blockquote, td, th'))
    block.setAttribute('dir', 'auto');
  return fragment;
}

function finishLink(anchor: HTMLAnchorElement): void {
  const link = readLink(anchor.getAttribute('href') ?? '', anchor.textContent);
  if (!link) {
    anchor.replaceWith(...anchor.childNodes);
    return;
  }
  anchor.href = link.href;
  anchor.target = '_blank';
  anchor.rel = 'noopener noreferrer';
  if (!link.target) return;
  const target = document.createElement('bdi');
  target.dataset.target = '';
  target.textContent = ` (${link.target})`;
  anchor.after(target);
}

/** Puts an element into a box that can be scrolled, also with the keyboard. */
function wrap(element: Element, kind: 'table' | 'code'): HTMLElement {
  const box = document.createElement('div');
  box.dataset.box = kind;
  element.replaceWith(box);
  const scroller = kind === 'table' ? document.createElement('div') : element;
  if (scroller !== element) scroller.append(element);
  scroller.setAttribute('tabindex', '0');
  box.append(scroller);
  return box;
}

/** The component that shows the fragment handles its click. */
function copyButton(): HTMLElement {
  const button = document.createElement('button');
  button.type = 'button';
  button.dataset.copy = '';
  button.textContent = 'Copy';
  return button;
}
