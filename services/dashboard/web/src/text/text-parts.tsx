import type { ReactNode } from 'react';
import { hasRightToLeft } from '../ui/isolated-in.ts';
import { Written } from '../ui/written.tsx';
import { partStyle, splitText } from './split-text.ts';

interface TextPartsProps {
  readonly text: string;
  readonly isMarked?: boolean | undefined;
  readonly isPlain?: boolean | undefined;
  /** By the first letter of each line. Otherwise all run from left to right. */
  readonly dir?: 'auto';
  /** What its lines are in a diff. */
  readonly kind?: string;
}

/**
 * Whole lines of a text as it was written. Beside a line that is wrapped stands a mark: it is behind the text, which covers it where a
 * line begins. Lines that may begin at the right have none.
 */
export const TextParts = ({ text, isMarked, isPlain, dir, kind }: TextPartsProps): ReactNode =>
  splitText(text).map((part, index) => (
    <div
      // biome-ignore lint/suspicious/noArrayIndexKey: they never change.
      key={index}
      data-part=""
      data-line={kind}
      data-wraps={dir && hasRightToLeft(part) ? undefined : ''}
      dir={dir}
      style={partStyle(part)}
    >
      <span>
        <Written text={part} isMarked={isMarked} isPlain={isPlain} />
      </span>
    </div>
  ));
