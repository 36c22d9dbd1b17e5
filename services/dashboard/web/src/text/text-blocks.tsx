import { showHidden } from '@expert-relay/sdk/safe';
import { type ReactNode, useLayoutEffect, useRef } from 'react';
import { CopyButton } from '../ui/copy-button.tsx';
import { isolatedIn } from '../ui/isolated-in.ts';
import { Clipped } from '../ui/written.tsx';
import { type Block, type Code, type Inline, looks, type Table } from './blocks.ts';
import { Diff } from './diff.tsx';
import { readDiff } from './read-diff.ts';
import styles from './text-blocks.module.css';
import { TextParts } from './text-parts.tsx';

/** Deeper lists and quotes are not indented further, so that their text has enough width. */
const maxIndent = 4;
/** The longest text of a cell that stays on one line, such as "4 min". */
const maxUnbroken = 16;

/** A text with its formatting: every character of it, and its marks in a quiet colour. */
export const TextBlocks = ({ blocks }: { blocks: readonly Block[] }): ReactNode =>
  // biome-ignore lint/suspicious/noArrayIndexKey: they never change.
  blocks.map((block, index) => <OneBlock key={index} block={block} />);

function OneBlock({ block }: { block: Block }): ReactNode {
  const depth = Math.min(block.depth, maxIndent);
  const quote = Math.min(block.quote ?? depth, depth);
  return (
    <div
      className={styles.block}
      data-kind={block.kind}
      data-quote={block.quote === undefined ? undefined : ''}
      dir={block.kind === 'code' ? 'ltr' : 'auto'}
      style={{ '--depth': depth, '--quote': quote } as object}
    >
      {block.kind === 'code' && <CodeBlock code={block} />}
      {block.kind === 'table' && <TableBlock table={block} />}
      {'content' in block && <Content content={block.content} />}
    </div>
  );
}

const Content = ({ content }: { content: readonly Inline[] }): ReactNode =>
  // biome-ignore lint/suspicious/noArrayIndexKey: they never change.
  content.map((inline, index) => <OneInline key={index} inline={inline} />);

const lookNames = ['mark', 'strong', 'em', 'del', 'gutter', 'address'] as const;

function OneInline({ inline }: { inline: Inline }): ReactNode {
  if ('tag' in inline) {
    const children = <Content content={inline.children} />;
    if (inline.tag === 'code') return <code dir="ltr">{children}</code>;
    if (inline.tag === 'bdi') return <bdi dir="ltr">{children}</bdi>;
    return (
      <a href={inline.href} target="_blank" rel="noopener noreferrer">
        {children}
      </a>
    );
  }
  const { text, look } = inline;
  const names = lookNames.filter((name) => look & looks[name]).join(' ');
  const shown = <Clipped text={look & (looks.code | looks.address) ? showHidden(text) : text} />;
  if (!names) return shown;
  const Tag = look & looks.address ? 'bdi' : 'span';
  return (
    <Tag data-look={names} dir={Tag === 'bdi' ? 'ltr' : undefined}>
      {shown}
    </Tag>
  );
}

function CodeBlock({ code }: { code: Code }): ReactNode {
  const { fences, body, language, indent, pieces } = code;
  // Two pieces within right-to-left letters would change places.
  const coloured = isolatedIn(body).length > 0 ? undefined : pieces;
  const [before, behind] = fences.map((fence) => fence && <div data-look="mark">{showHidden(fence)}</div>);
  const copied = body.replace(/\n$/, '');
  return (
    <>
      <CopyButton text={indent > 0 ? withoutIndent(copied, indent) : copied} />
      <div className={styles.code}>
        {before}
        {language === 'diff' || language === 'patch' ? (
          <Diff files={readDiff(showHidden(body), indent)} isMarked />
        ) : (
          <code data-wraps={coloured && ''}>
            {coloured ? <span>{coloured.map(colour)}</span> : <TextParts text={showHidden(body)} />}
          </code>
        )}
        {behind}
      </div>
    </>
  );
}

const colour = ({ text, kind }: NonNullable<Code['pieces']>[number], index: number): ReactNode => (
  <span key={index} style={kind ? { color: `var(--code-${kind})` } : undefined}>
    <Clipped text={text} />
  </span>
);

/** The lines of a code without the marks and spaces of the list or the quote that it stands in. */
const withoutIndent = (body: string, indent: number): string =>
  body.replace(new RegExp(`^[ \\t>]{0,${indent}}`, 'gm'), '');

/** A table; where it does not fit, each of its rows is a list of titles and values. */
function TableBlock({ table: { rows, columns } }: { table: Table }): ReactNode {
  const width = useRef<HTMLDivElement>(null);
  const box = useRef<HTMLTableElement>(null);
  useLayoutEffect(() => {
    if (!width.current) return;
    const observer = new ResizeObserver(([entry]) => {
      const table = box.current;
      if (!table || !entry) return;
      delete table.dataset.stacked;
      // A fraction of a pixel is not cut off.
      if (table.offsetWidth > entry.contentRect.width + 1) table.dataset.stacked = '';
    });
    observer.observe(width.current);
    return () => observer.disconnect();
  }, []);
  const [head = [], ...body] = rows;
  const cell = (Cell: 'th' | 'td') => (content: readonly Inline[], index: number) => (
    <Cell
      key={index}
      dir="auto"
      data-align={columns[index]?.align}
      data-title={columns[index]?.title}
      data-short={lengthOf(content) <= maxUnbroken ? '' : undefined}
    >
      <span>
        <Content content={content} />
      </span>
    </Cell>
  );
  return (
    <>
      <div ref={width} />
      <table ref={box}>
        <thead>
          <tr>{head.map(cell('th'))}</tr>
        </thead>
        <tbody>
          {body.map((row, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: they never change.
            <tr key={index}>{row.map(cell('td'))}</tr>
          ))}
        </tbody>
      </table>
    </>
  );
}

const lengthOf = (content: readonly Inline[]): number =>
  content.reduce(
    (sum, inline) => sum + ('tag' in inline ? lengthOf(inline.children) : inline.text.length),
    0,
  );
