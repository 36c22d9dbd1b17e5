import { showHidden } from '@expert-relay/sdk/text';
import type { Token } from 'markdown-it';
import { readLink } from './links.ts';
import { parseMarkdown, TooMuchWork } from './parse-markdown.ts';
import { maxBlockLength, textParts } from './text-parts.ts';

/** A longer address is no link: many uses of one would make megabytes of a few kilobytes. */
const maxAddressLength = 2_000;
/** What a text may become: characters on the screen and in addresses, and elements. */
const maxCharacters = 60_000;
const maxElements = 4_000;

/** The elements of tokens that only enclose others. */
const enclosing: Readonly<Record<string, readonly string[]>> = {
  paragraph: ['p'],
  // Headings in a message must not become headings of the page.
  heading: ['p', 'strong'],
  bullet_list: ['ul'],
  ordered_list: ['ol'],
  list_item: ['li'],
  blockquote: ['blockquote'],
  table: ['table'],
  thead: ['thead'],
  tbody: ['tbody'],
  tr: ['tr'],
  th: ['th'],
  td: ['td'],
  strong: ['strong'],
  em: ['em'],
  s: ['del'],
};
const withOwnDirection = new Set(['p', 'li', 'blockquote']);

/** The longest text of a cell that is not broken into lines. */
const maxUnbroken = 16;

/** What stands behind a link: where it leads, and its title. */
function aside(target: string | undefined, title: string): string {
  const words = [target, title && `"${title}"`].filter(Boolean).join(', ');
  return words && ` (${words})`;
}

/** A character under marks that would cover other lines, or inside a mark. The last one of a keycap is not among them. */
const tall = /(?:\P{M}|^)[\p{M}\u200c\u200d]{3,}|.(?!\u20e3)\p{Me}/gsu;

/**
 * Renders Markdown as elements. They are made one by one and never from HTML, so that a text becomes only what is here.
 *
 * All of a text is shown, apart from its marks: the expert signs it. Of a link's address, the host is shown.
 *
 * @throws TooMuchWork for a text that would occupy the page
 * @throws HiddenText
 */
export function renderMarkdown(text: string): DocumentFragment {
  const rendering = new Rendering();
  rendering.add(parseMarkdown(text));
  for (const table of rendering.fragment.querySelectorAll('table')) wrap(table, 'table');
  for (const cell of rendering.fragment.querySelectorAll<HTMLElement>('th, td')) {
    // "4 min" stays on one line.
    if ((cell.textContent ?? '').length <= maxUnbroken) cell.dataset.short = '';
  }
  for (const code of rendering.fragment.querySelectorAll('pre')) wrap(code, 'code').prepend(copyButton());
  return rendering.fragment;
}

class Rendering {
  readonly fragment = document.createDocumentFragment();
  /** The fragment, and the elements that are not complete. */
  readonly #open: (DocumentFragment | HTMLElement)[] = [this.fragment];
  /** Where the enclosing link leads. */
  #href: string | undefined;
  #title = '';
  #characters = 0;
  #elements = 0;

  add(tokens: readonly Token[]): void {
    for (const [at, token] of tokens.entries()) {
      if (token.type === 'inline') this.#addInline(token, tokens[at - 2]?.type === 'list_item_open');
      else if (!token.hidden) this.#addToken(token);
    }
  }

  #addInline({ children, content }: Token, startsItem: boolean): void {
    if (content.length > maxBlockLength) throw new TooMuchWork();
    const [first] = children ?? [];
    const task = startsItem && first?.type === 'text' ? /^\[([ xX])\] /.exec(first.content) : null;
    if (task && first) first.content = (task[1] === ' ' ? '☐ ' : '☑ ') + first.content.slice(task[0].length);
    this.add(children ?? []);
  }

  #addToken(token: Token): void {
    const name = token.type.replace(/_(?:open|close)$/, '');
    const around = enclosing[name];
    if (around && token.nesting === 1) {
      for (const tag of around) {
        const element = this.#enter(tag);
        if (tag === 'li') numberItem(element as HTMLLIElement, token);
        if (tag === 'p') this.#addText(' '.repeat(Number(token.meta?.indentation ?? 0)));
        const [, align] = /text-align:(center|right)/.exec(attribute(token, 'style')) ?? [];
        if (align) element.dataset.align = align;
      }
    } else if (around) {
      for (const _ of around) this.#leave();
    } else if (name === 'link') {
      if (token.nesting === 1) this.#enterLink(attribute(token, 'href'), token);
      else this.#leaveLink();
    } else if (name === 'image') {
      this.#addImage(token);
    } else if (name === 'code_inline') {
      this.#addCode(token.content);
    } else if (name === 'code_block' || name === 'fence') {
      this.#addInfo(token.info.trim());
      this.#enter('pre').dir = 'ltr';
      // A copied command must not run by a line break that nobody sees.
      this.#addCode(token.content.replace(/\n$/, ''), { isBlock: true, info: token.info });
      this.#leave();
    } else if (name === 'softbreak' || name === 'hardbreak' || name === 'hr') {
      this.#enter(name === 'hr' ? 'hr' : 'br');
      this.#leave();
    } else {
      this.#addText(showHidden(token.content, { prose: this.#href === undefined }));
    }
  }

  /** What stands behind the fence of a code: its language, as a rule. */
  #addInfo(info: string): void {
    if (info === '') return;
    this.#enter('p').dataset.info = '';
    this.#addText(showHidden(info));
    this.#leave();
  }

  #addCode(code: string, { isBlock = false, info = '' } = {}): void {
    const element = this.#enter('code');
    element.dir = 'ltr';
    const [language] = /^[\w+#-]{1,20}(?!\S)/.exec(info) ?? [];
    if (language) element.dataset.language = language.toLowerCase();
    const parts = textParts(showHidden(code));
    for (const part of parts) {
      if (isBlock && parts.length > 1) this.#enter('span').dataset.part = '';
      this.#addText(part);
      if (isBlock && parts.length > 1) this.#leave();
    }
    this.#leave();
  }

  /** Nothing is loaded from other sites: an image becomes a link to its address. */
  #addImage(token: Token): void {
    const isLinked = this.#href !== undefined;
    const address = attribute(token, 'src');
    if (!isLinked) this.#enterLink(address, token);
    this.#addText(showHidden(token.content || 'Image'));
    if (isLinked) this.#addText(showHidden(aside(address, attribute(token, 'title'))));
    else this.#leaveLink();
  }

  #enterLink(href: string, token: Token): void {
    this.#href = href;
    this.#title = attribute(token, 'title');
    this.#enter('a');
  }

  #leaveLink(): void {
    const anchor = this.#leave() as HTMLAnchorElement;
    const href = this.#href ?? '';
    this.#href = undefined;
    const link = href.length <= maxAddressLength && readLink(href, anchor.textContent);
    if (link) {
      this.#count(link.href);
      anchor.href = link.href;
      anchor.target = '_blank';
      anchor.rel = 'noopener noreferrer';
    } else {
      anchor.replaceWith(...anchor.childNodes);
    }
    const beside = aside(link ? link.target : href, this.#title);
    if (!beside) return;
    const target = this.#enter('bdi');
    target.dataset.target = '';
    this.#addText(showHidden(beside));
    this.#leave();
  }

  #addText(text: string): void {
    this.#count(text);
    let from = 0;
    for (const { 0: character, index } of text.matchAll(tall)) {
      this.#top.append(text.slice(from, index));
      const box = this.#enter('span');
      box.dataset.tall = '';
      box.append(character);
      this.#leave();
      from = index + character.length;
    }
    this.#top.append(text.slice(from));
  }

  get #top(): DocumentFragment | HTMLElement {
    return this.#open.at(-1) ?? this.fragment;
  }

  #enter(tag: string): HTMLElement {
    this.#elements += 1;
    if (this.#elements > maxElements) throw new TooMuchWork();
    const element = document.createElement(tag);
    this.#top.append(element);
    this.#open.push(element);
    return element;
  }

  #leave(): HTMLElement {
    const element = this.#open.pop() as HTMLElement;
    // Not before it is complete, since the browser decides the direction again whenever something is added.
    if (withOwnDirection.has(element.localName) && !this.#isInside(element)) element.dir = 'auto';
    return element;
  }

  /**
   * A paragraph of a list item or a quote, whose mark stands on the side where its text begins. The browser decides its direction
   * by the text within it that has none of its own.
   */
  #isInside({ localName, parentElement }: HTMLElement): boolean {
    return localName === 'p' && (parentElement?.matches('li, blockquote') ?? false);
  }

  #count({ length }: string): void {
    this.#characters += length;
    if (this.#characters > maxCharacters) throw new TooMuchWork();
  }
}

const attribute = (token: Token, name: string): string => String(token.attrGet(name) ?? '');

/** Shows the number that was written. A list that is numbered by the browser would have others. */
function numberItem(item: HTMLLIElement, { info, markup }: Token): void {
  if (info === '') return;
  item.value = Number(info);
  if (`${item.value}.` !== info + markup) item.style.listStyleType = JSON.stringify(`${info}${markup} `);
  if (info.length > 2) makeSpace(item.parentElement as HTMLElement, `${info.length + 2}ch`);
}

/** Numbers stand beside the text, where long ones would be cut off: at the side where their items begin. */
function makeSpace(list: HTMLElement, width: string): void {
  if (Number.parseInt(list.style.paddingInlineStart, 10) >= Number.parseInt(width, 10)) return;
  list.style.paddingInlineStart = width;
  list.style.setProperty('--number-space', width);
}

/** Puts an element into a box that can be scrolled, also with the keyboard. */
function wrap(element: Element, kind: 'table' | 'code'): HTMLElement {
  const box = document.createElement('div');
  box.dataset.box = kind;
  element.replaceWith(box);
  const scroller = kind === 'table' ? document.createElement('div') : element;
  if (scroller !== element) scroller.append(element);
  // A table that is narrower than the text stands where its own text begins.
  if (kind === 'table') scroller.setAttribute('dir', 'auto');
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
