import type { WriteStream } from 'node:tty';
import { styleText } from 'node:util';

/** The work of a step. What it passes to `detail` is shown beside the title. */
export type Work<T> = (detail: (text: string) => void) => Promise<T>;

/** What a command shows: one line per step with its time, and a few lines of its own. */
export interface Terminal {
  /** Shows the step while it runs, then how long it took. */
  step<T>(title: string, work: Work<T>): Promise<T>;
  line(text?: string): void;
  /** A text in bold and so on, where the output is a terminal with colours. */
  style(...styled: Parameters<typeof styleText>): string;
}

type Output = Pick<WriteStream, 'write'> & { isTTY?: boolean; on?: WriteStream['on'] };

export function createTerminal(output: Output = process.stdout): Terminal {
  const live = output.isTTY === true;
  // An error of a closed terminal must not end this process before it has stopped the others.
  output.on?.('error', () => undefined);

  // `styleText` looks at the standard output and NO_COLOR.
  const style: Terminal['style'] = (format, text) =>
    output === process.stdout ? styleText(format, text) : text;
  const rewrite = (text: string) => live && output.write(`\r\u001b[K${text}`);
  let current = '';

  async function step<T>(title: string, work: Work<T>): Promise<T> {
    const began = performance.now();
    let detail = '';
    const label = () => `${title.padEnd(10)} ${detail}`.trimEnd();
    const end = (mark: string) => {
      current = '';
      rewrite('');
      output.write(`  ${mark} ${label()}  ${style('dim', formatTime(performance.now() - began))}\n`);
    };
    const show = () => {
      current = `  … ${label()}`;
      rewrite(current);
    };
    show();
    try {
      const result = await work((text) => {
        detail = text;
        show();
      });
      end(style('green', '✓'));
      return result;
    } catch (error) {
      end(style('red', '✗'));
      throw error;
    }
  }

  function line(text = ''): void {
    rewrite('');
    output.write(`${text}\n`);
    rewrite(current);
  }

  return { step, line, style };
}

/** Starts some work at once. The result is a step that waits for its end and shows its latest detail. */
export function inBackground<T>(work: Work<T>): Work<T> {
  let latest = '';
  let show = (text: string) => {
    latest = text;
  };
  const running = work((text) => show(text));
  // A failure is reported by the step.
  running.catch(() => undefined);
  return (detail) => {
    if (latest) detail(latest);
    show = detail;
    return running;
  };
}

/** `0.1 s`, `12.3 s`, `2 min 5 s`. */
export function formatTime(milliseconds: number): string {
  const seconds = milliseconds / 1000;
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  return `${Math.floor(seconds / 60)} min ${Math.floor(seconds % 60)} s`;
}
