import type { WriteStream } from 'node:tty';
import { formatTime } from './format-time.ts';

/** What a command shows: one line per step with its time, and a few lines of its own. */
export interface Terminal {
  /** Shows that the step is under way, then how long it took. `detail` says what it found. */
  step<T>(title: string, work: (detail: (text: string) => void) => Promise<T>): Promise<T>;
  line(text?: string): void;
  bold(text: string): string;
  faint(text: string): string;
}

type Output = Pick<WriteStream, 'write'> & { isTTY?: boolean; on?: WriteStream['on'] };

export function createTerminal(output: Output = process.stdout, env = process.env): Terminal {
  const live = output.isTTY === true;
  const coloured = live && !env.NO_COLOR;
  // A closed terminal must not keep the launcher from stopping what it started.
  output.on?.('error', () => undefined);

  const colour = (code: number) => (text: string) => (coloured ? `\u001b[${code}m${text}\u001b[0m` : text);
  const [bold, faint, green, red] = [colour(1), colour(2), colour(32), colour(31)];
  const rewrite = (text: string) => live && output.write(`\r\u001b[K${text}`);
  let underWay = '';

  async function step<T>(title: string, work: (detail: (text: string) => void) => Promise<T>): Promise<T> {
    const began = performance.now();
    let detail = '';
    const label = () => `${title.padEnd(10)} ${detail}`.trimEnd();
    const end = (mark: string) => {
      underWay = '';
      rewrite('');
      output.write(`  ${mark} ${label()}  ${faint(formatTime(performance.now() - began))}\n`);
    };
    const show = () => {
      underWay = `  … ${label()}`;
      rewrite(underWay);
    };
    show();
    try {
      const result = await work((text) => {
        detail = text;
        show();
      });
      end(green('✓'));
      return result;
    } catch (error) {
      end(red('✗'));
      throw error;
    }
  }

  function line(text = ''): void {
    rewrite('');
    output.write(`${text}\n`);
    rewrite(underWay);
  }

  return { step, line, bold, faint };
}
