import { showHidden } from '@expert-relay/sdk/safe';
import { Written } from '../ui/written.tsx';
import styles from './asked-question.module.css';

/** A question of at most this length fits into two lines. */
const shortLength = 80;
/** More cannot be in sight, and a hostile text would take long. */
const maxRead = 2_000;
const block = /^[ \t]*(`{3,}|~{3,})[^\n]*\n([\s\S]*?)(?:\n[ \t]*\1[`~]*[ \t]*$|(?![\s\S]))/m;
const span = /(`+)([^`\n]+)\1/;
/** The same, with its backticks, to split a text. */
const spans = /(`+[^`\n]+`+)/;

/** The words of a question, and the command that it ends with, if that would not be in sight within two lines of words. */
export function inTwoLines(whole: string): { words: string; command?: string } {
  const question = whole.slice(0, maxRead);
  const code = block.exec(question) ?? (question.length > shortLength ? span.exec(question) : undefined);
  const command = code?.[2]?.trim();
  const after = code && whole.slice(code.index + code[0].length).trim();
  // Words that follow it would be seen before it, or not at all.
  if (!code || !command || !/^[?.!]?$/.test(after ?? '')) return { words: withoutBlankLines(question) };
  const before = withoutBlankLines(question.slice(0, code.index));
  return { words: before && after ? `${before} …` : before, command };
}

const withoutBlankLines = (text: string) => text.trim().replace(/\n\s*\n/g, '\n');

/**
 * The question in two lines, as it was written, where it is decided. It is not what is read: that is above, in full, and
 * must have been in view.
 */
export function AskedQuestion({ id, question }: { id: string; question: string }) {
  const { words, command } = inTwoLines(question);
  return (
    <span id={id} className={styles.question}>
      {words && (
        <bdi className={styles.words} data-lines={command ? 1 : 2}>
          {words.split(spans).map((part, index) => {
            const Part = index % 2 ? 'code' : 'span';
            return (
              // biome-ignore lint/suspicious/noArrayIndexKey: they never change.
              <Part key={index}>
                <Written text={showHidden(part)} isMarked />
              </Part>
            );
          })}
        </bdi>
      )}
      {command && (
        <code className={styles.command}>
          <Written text={showHidden(command)} isMarked />
        </code>
      )}
    </span>
  );
}
