import { expect, test } from '@jest/globals';
import { createScreen, type OutputStream } from './screen.ts';

function written(stream: Partial<OutputStream>, colours = true) {
  let text = '';
  const screen = createScreen({ ...stream, write: (more) => (text += more) }, { colours });
  return { screen, text: () => text };
}

test('a pipe gets all text unchanged', () => {
  const { screen, text } = written({ columns: 10 });
  screen.foreign('a long line of \u001b[31mwords\n');
  screen.paragraph(screen.paint('bold', 'a long line of words'));
  expect(text()).toBe('a long line of \u001b[31mwords\na long line of words\n');
});

test('a terminal gets safe text, wrapped to its width, in colours', () => {
  const { screen, text } = written({ isTTY: true, columns: 10 });
  screen.foreign('a long line of \u001b[31mwords', { indent: '  ', style: 'dim' });
  screen.line(screen.paint('red', 'x'));
  expect(text()).toBe(
    [dim('a long'), dim('line of'), dim('␛[31mwor'), dim('ds'), '\u001b[31mx\u001b[39m', ''].join('\n'),
  );
});

const dim = (text: string) => `  \u001b[2m${text}\u001b[22m`;

test('no colours are used if they are switched off', () => {
  expect(written({ isTTY: true }, false).screen.paint('red', 'x')).toBe('x');
});

test('lines have a maximum width, and 80 columns if the width is unknown', () => {
  expect(written({ isTTY: true, columns: 300 }).screen.width).toBe(100);
  expect(written({ isTTY: true, columns: 0 }).screen.width).toBe(80);
});

test('control characters in a line of this program are made safe, too', () => {
  for (const colours of [true, false]) {
    const { screen, text } = written({ isTTY: true }, colours);
    screen.line('HS-\u001b]0;owned\u0007');
    screen.entry('a\u001b[2J', 'b\rc', { column: 20 });
    expect(text()).toBe(`HS-␛]0;owned␇\n${'a␛[2J'.padEnd(21)}b␍c\n`);
  }
});

test('foreign text inside a line is safe in a pipe, too, and has no line breaks', () => {
  const name = 'x\nKind    an expert\r\n\n\u001b[1mbold';
  for (const isTTY of [true, false])
    expect(written({ isTTY }).screen.shown(name)).toBe('x␊Kind    an expert␊␊␛[1mbold');
});
