import { showHidden } from '@expert-relay/sdk/text';
import { type MouseEvent, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { Button } from '../ui/button.tsx';
import { copyText } from '../ui/copy-button.tsx';
import { loadCode } from '../ui/lazy-page.tsx';
import { createStore, useStore } from '../ui/store.ts';
import { inTurn } from './in-turn.ts';
import styles from './rich-text.module.css';
import { TextEnd } from './text-end.tsx';
import { renderPlain } from './text-parts.ts';

/** A longer text is folded, and shown without rendering its Markdown. */
const maxMarkdownLength = 30_000;
const foldedLength = 1_500;

type Render = (text: string) => DocumentFragment;
const markdown = createStore<Render | undefined>(undefined);
let isLoading = false;

/** Colours the code in a text. Without colours it can be read as well, so that a failure needs no repair. */
function highlight(element: HTMLElement, length: number): void {
  if (!element.querySelector('[data-language]')) return;
  import('./highlight.ts').then(
    ({ highlightCode }) => inTurn(length, () => highlightCode(element)),
    () => {},
  );
}

/** Loads the code that renders Markdown. Until then, texts are shown unrendered. */
function loadMarkdown(): void {
  if (isLoading) return;
  isLoading = true;
  loadCode(() => import('./markdown.ts')).then(
    ({ renderMarkdown }) => markdown.set(renderMarkdown),
    () => {
      isLoading = false;
    },
  );
}

interface RichTextProps {
  readonly text: string;
  readonly isFirst?: boolean;
  /** The name under which the end of the text is noted as shown. */
  readonly end?: string | undefined;
}

/** Renders a text as Markdown: with `isFirst` as soon as possible, otherwise when it comes near the screen. */
export function RichText({ text, isFirst = false, end }: RichTextProps) {
  const [refused, setRefused] = useState<string>();
  return text.length > maxMarkdownLength || refused === text ? (
    <LongText text={text} end={end} />
  ) : (
    <>
      <Markdown text={text} isFirst={isFirst} onRefuse={() => setRefused(text)} />
      {end && <TextEnd name={end} />}
    </>
  );
}

interface MarkdownProps {
  readonly text: string;
  readonly isFirst: boolean;
  /** The text would take too much work. */
  readonly onRefuse: () => void;
}

function Markdown({ text, isFirst, onRefuse }: MarkdownProps) {
  const box = useRef<HTMLDivElement>(null);
  const render = useStore(markdown);
  const [isNear, setIsNear] = useState(isFirst);
  useEffect(loadMarkdown, []);
  useEffect(() => {
    if (isNear || !box.current) return;
    return whenNear(box.current, () => setIsNear(true));
  }, [isNear]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: onRefuse is a new function each time.
  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return;
    element.replaceChildren(renderPlain(showHidden(text)));
    element.dataset.plain = '';
    if (!isNear || !render) return;
    return inTurn(text.length, () => {
      try {
        element.replaceChildren(render(text));
        delete element.dataset.plain;
        highlight(element, text.length);
      } catch {
        onRefuse();
      }
    });
  }, [text, render, isNear]);
  // biome-ignore lint/a11y/noStaticElementInteractions: it handles the clicks of the buttons in it.
  // biome-ignore lint/a11y/useKeyWithClickEvents: the keyboard clicks buttons too.
  return <div ref={box} className={styles.text} dir="auto" onClick={copyCode} />;
}

/** A text that is too long to render, or takes too much work. It is folded. */
function LongText({ text, end }: Pick<RichTextProps, 'text' | 'end'>) {
  const [isOpen, setIsOpen] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  const isFoldable = text.length > foldedLength;
  useLayoutEffect(() => {
    // No character is cut in half.
    const start = text.slice(0, foldedLength).replace(/[\ud800-\udbff]$/, '');
    const shown = isFoldable && !isOpen ? `${start}…` : text;
    box.current?.replaceChildren(renderPlain(showHidden(shown)));
  }, [text, isFoldable, isOpen]);
  return (
    <>
      <div ref={box} className={styles.text} dir="auto" data-plain="" />
      {end && (isOpen || !isFoldable) && <TextEnd name={end} />}
      {isFoldable && (
        <Button
          look="quiet"
          onClick={() => setIsOpen(!isOpen)}
          aria-expanded={isOpen}
          data-folded={isOpen ? undefined : end}
        >
          {isOpen ? 'Show less' : `Show all (${text.length.toLocaleString()} characters)`}
        </Button>
      )}
    </>
  );
}

async function copyCode({ target }: MouseEvent): Promise<void> {
  const button = target instanceof Element ? target.closest<HTMLElement>('[data-copy]') : null;
  const code = button?.parentElement?.querySelector('pre')?.textContent;
  if (!button || code === undefined) return;
  button.textContent = (await copyText(code)) ? 'Copied' : 'Select and copy it';
  setTimeout(() => {
    button.textContent = 'Copy';
  }, 2_000);
}

const calls = new WeakMap<Element, () => void>();
let observer: IntersectionObserver | undefined;

/** Calls `call` when the element comes near the screen. Returns a function that stops it. */
function whenNear(element: Element, call: () => void): () => void {
  const margin = '800px 0px';
  observer ??= new IntersectionObserver(
    (entries) => {
      for (const { isIntersecting, target } of entries) if (isIntersecting) calls.get(target)?.();
    },
    { rootMargin: margin, scrollMargin: margin } as IntersectionObserverInit,
  );
  calls.set(element, call);
  observer.observe(element);
  return () => observer?.unobserve(element);
}
