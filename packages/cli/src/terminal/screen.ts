import { styleText } from 'node:util';
import type { ProfileName } from '../config.ts';
import { makeSafe } from './make-safe.ts';
import { textWidth } from './text-width.ts';
import { typedCommands } from './typed-commands.ts';
import { wrapText } from './wrap-text.ts';

/** The members of `process.stdout` and `process.stderr` that this needs. */
export interface OutputStream {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string, callBack?: (error?: Error | null) => void): unknown;
}

export type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan';

interface TextStyle {
  indent?: string;
  style?: Style;
}

/** One of the two output streams of a command: formatted in a terminal, plain in a pipe. */
export interface Screen {
  readonly isTerminal: boolean;
  readonly width: number;
  line(text?: string): void;
  /** A text of this program, wrapped to the width. Commands in it are written as the user must type them here. */
  paragraph(text: string, style?: TextStyle): void;
  /** Why a command failed: a sentence of this program that may quote foreign text. */
  failure(text: string): void;
  /** A text for a file, as it is: in a pipe without a line break behind it. */
  exact(text: string): void;
  /** A line or a term with a command of this program, written as the user must type it here. */
  typed(text: string): string;
  /** Foreign text: made safe in a terminal, unchanged in a pipe. */
  foreign(text: string, style?: TextStyle): void;
  /** Foreign text inside a line of this program, such as a name: safe, also in a pipe, and without line breaks. */
  shown(text: string): string;
  /** A term, with its meaning in the next column. */
  entry(term: string, text: string, look: { column: number; style?: Style }): void;
  paint(style: Style, text: string): string;
  /** Waits until everything is written. False when it could not be: nothing reads the pipe any more, or the disk is full. */
  written(): Promise<boolean>;
}

// Longer lines are hard to read, also in a wide window.
const widest = 100;

/** How commands are written in texts, and whether anything is coloured. */
export interface Look {
  readonly colours: boolean;
  readonly program?: string;
  /** The profile that commands name where the next one would run with the other profile. */
  readonly profile?: ProfileName | undefined;
}

export function createScreen(stream: OutputStream, { colours, program = 'relay', profile }: Look): Screen {
  const commands = typedCommands(program, profile);
  const isTerminal = stream.isTTY === true;
  const columns = () => Math.min(stream.columns || 80, widest);
  const line = (text = '') => void stream.write(`${isTerminal ? guard(text, colours) : text}\n`);
  const paint = (style: Style, text: string) =>
    isTerminal && colours ? styleText(style, text, { validateStream: false }) : text;
  const print = (text: string, { indent = '', style }: TextStyle, unbroken?: string) => {
    const lines = isTerminal ? wrapText(text, columns() - indent.length, unbroken) : text.split('\n');
    for (const each of lines) line(each === '' ? '' : indent + (style ? paint(style, each) : each));
  };
  const paragraph = (text: string, style: TextStyle = {}) =>
    print(commands.name(text), style, commands.unbroken);
  const harmless = (text: string) => (isTerminal ? makeSafe(text) : text);
  const shown = (text: string) => makeSafe(text).replaceAll('\n', '␊');
  const entry: Screen['entry'] = (term, text, { column, style }) => {
    const named = commands.name(text);
    const [first = '', ...more] = isTerminal
      ? wrapText(named, columns() - column, commands.unbroken)
      : [named];
    const gap = ' '.repeat(Math.max(column - textWidth(term), 1));
    line(`${style ? paint(style, term) : term}${gap}${first}`);
    for (const each of more) line(' '.repeat(column) + each);
  };
  return {
    isTerminal,
    get width() {
      return columns();
    },
    line,
    paragraph,
    shown,
    exact: (text) => (isTerminal ? line(text) : void stream.write(text)),
    failure: (text) => paragraph(harmless(text).replace(/\n$/, '')),
    typed: commands.name,
    foreign: (text, look = {}) => print(harmless(text).replace(/\n$/, ''), look),
    entry,
    paint,
    written: () =>
      new Promise((resolve) => {
        stream.write('', (error) => resolve(!error));
      }),
  };
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: `paint` writes them.
const painted = /(\u001b\[(?:1|2|22|31|32|33|36|39)m)/;

/** Makes a whole line safe: only the control sequences of `paint` reach a terminal. */
function guard(text: string, colours: boolean): string {
  if (!colours) return makeSafe(text);
  return text
    .split(painted)
    .map((part, index) => (index % 2 === 1 ? part : makeSafe(part)))
    .join('');
}
