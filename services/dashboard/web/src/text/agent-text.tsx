import { isDiff } from '@expert-relay/sdk/internal';
import { showHidden } from '@expert-relay/sdk/safe';
import {
  createContext,
  memo,
  type RefObject,
  useContext,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import { Button } from '../ui/button.tsx';
import styles from './agent-text.module.css';
import { AsWritten } from './as-written.tsx';
import type { Block } from './blocks.ts';
import { inTurn } from './in-turn.ts';
import { layOut } from './lay-out.ts';
import { TextBlocks } from './text-blocks.tsx';
import { TextEnd } from './text-end.tsx';

/** A longer text is shown as it was written. */
const maxFormattedLength = 30_000;
const foldedLength = 1_500;

/** Whether the expert decides about the texts: they are shown as they were written, and none is folded. */
export const DecisionContext = createContext(false);

interface AgentTextProps {
  readonly text: string;
  /** It is formatted as soon as possible, otherwise when it comes near the screen. */
  readonly isFirst?: boolean;
  /** The name under which the end of the text is noted as shown. */
  readonly end?: string | undefined;
  /** A text of the expert is always formatted. */
  readonly isOwn?: boolean;
}

/** A text with its formatting, or as it was written. In both, each of its characters is shown. */
export const AgentText = memo(function AgentText({
  text,
  isFirst = false,
  end,
  isOwn = false,
}: AgentTextProps) {
  const isDecision = useContext(DecisionContext) && !isOwn;
  const box = useRef<HTMLDivElement>(null);
  const [chosen, setChosen] = useState<boolean>();
  const [isOpen, setIsOpen] = useState(false);
  const isLong = text.length > maxFormattedLength;
  const isWritten = isDiff(text) || isLong || (chosen ?? isDecision);
  const { blocks, isRefused } = useFormatted(text, { isFirst, isWritten, box });
  const isFolded = (isLong || isRefused) && text.length > foldedLength && !isDecision && !isOpen;
  // No character is cut in half.
  const start = text.slice(0, foldedLength).replace(/[\ud800-\udbff]$/, '');
  const isFormatted = !isWritten && blocks !== undefined;
  const canSwitch =
    !isOwn && !isDiff(text) && !isLong && !isRefused && (isWritten || blocks?.some(isFormattedBlock));
  return (
    <>
      <div
        ref={box}
        className={styles.text}
        data-written={isWritten || isRefused ? '' : undefined}
        data-plain={isFormatted ? undefined : ''}
      >
        {isFormatted ? <TextBlocks blocks={blocks} /> : <AsWritten text={isFolded ? `${start}…` : text} />}
      </div>
      {end && !isFolded && <TextEnd name={end} />}
      {canSwitch && (
        <button
          type="button"
          className={styles.switch}
          aria-pressed={isWritten}
          onClick={() => setChosen(!isWritten)}
        >
          As written
        </button>
      )}
      {(isLong || isRefused) && text.length > foldedLength && !isDecision && (
        <Button
          look="quiet"
          onClick={() => setIsOpen(!isOpen)}
          aria-expanded={isOpen}
          data-folded={isOpen ? undefined : end}
        >
          {isOpen ? 'Show less' : `Show all (${text.length.toLocaleString('en')} characters)`}
        </Button>
      )}
    </>
  );
});

const isFormattedBlock = (block: Block): boolean =>
  block.kind !== 'blank' &&
  (!('content' in block) || block.content.some((inline) => 'tag' in inline || inline.look > 0));

interface Formatted {
  readonly text?: string;
  /** Undefined until it is laid out. */
  readonly blocks?: readonly Block[] | undefined;
  /** It would take too much work. */
  readonly isRefused: boolean;
}

function useFormatted(
  text: string,
  { isFirst, isWritten, box }: { isFirst: boolean; isWritten: boolean; box: RefObject<HTMLElement | null> },
): Formatted {
  const [isNear, setIsNear] = useState(isFirst);
  const [formatted, setFormatted] = useState<Formatted>({ isRefused: false });
  const isWanted = isNear && !isWritten;
  useEffect(() => {
    if (isNear || !box.current) return;
    return whenNear(box.current, () => setIsNear(true));
  }, [isNear, box]);
  useLayoutEffect(() => {
    if (!isWanted) return;
    const left = new AbortController();
    const show = (blocks: readonly Block[] | undefined) =>
      setFormatted({ text, blocks, isRefused: blocks === undefined });
    const start = <Result,>(work: Iterator<void, Result>, onDone: (result: Result) => void) => {
      if (!left.signal.aborted) left.signal.addEventListener('abort', inTurn(work, onDone));
    };
    start(layOut(showHidden(text, { prose: true })), (blocks) => {
      show(blocks);
      if (!blocks?.some((block) => block.kind === 'code' && block.language)) return;
      // Without colours it can be read as well, so that a failure needs no repair.
      import('./highlight.ts').then(
        ({ colourCode }) => start(colourCode(blocks), show),
        () => {},
      );
    });
    return () => left.abort();
  }, [text, isWanted]);
  return formatted.text === text ? formatted : { isRefused: false };
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
