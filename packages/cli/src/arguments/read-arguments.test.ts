import { describe, expect, test } from '@jest/globals';
import { defineCommand } from './command.ts';
import { readArguments } from './read-arguments.ts';
import { readDuration, readRefCode } from './read-values.ts';

const command = defineCommand({
  name: 'ask',
  summary: '',
  usage: ['"question"'],
  about: '',
  options: {
    wait: { value: 'TIME', alias: 'timeout', help: '' },
    context: { value: 'FILE', help: '' },
    choice: { value: 'OPTION', many: true, help: '' },
    json: { help: '' },
  },
  examples: [],
  words: [1, 1],
  run: async () => 'done',
});
const read = (...args: string[]) => readArguments(command, args);

test('words and options in any order, and everything after --', () => {
  expect(read('--json', 'Well?', '--wait', '10m', '--context', '-')).toEqual({
    words: ['Well?'],
    options: { json: true, wait: '10m', context: '-' },
  });
  expect(read('--wait=1s', '--', '--json').words).toEqual(['--json']);
});

test('another name of an option', () => {
  expect(read('Well?', '--timeout', '1s').options).toEqual({ wait: '1s' });
});

test('an option that may be given several times keeps all values, in their order', () => {
  expect(read('Which?', '--choice', 'eu', '--choice=us', '--choice', 'eu').options).toEqual({
    choice: ['eu', 'us', 'eu'],
  });
});

test.each([
  [['a', 'b'], '"b" is not expected here. Text of several words needs quotes around it.'],
  [[], 'Something is missing. It is called like this: relay ask "question"'],
  [['a', '--wiat', '1s'], 'relay ask has no option --wiat. Did you mean --wait?'],
  [['a', '--nothing'], 'relay ask has no option --nothing.\nMore: relay help ask'],
  [['a', '--wait'], '--wait needs a value: --wait TIME.'],
  [['a', '--timeout'], '--timeout needs a value: --timeout TIME.'],
  [['a', '--wait', '--json'], '--wait needs a value: --wait TIME.'],
  [['a', '--json=yes'], '--json takes no value.'],
  [['a', '--api-key', 'hs_x'], 'Set RELAY_API_KEY.'],
  [['a', '-k'], 'relay ask has no option -k.'],
])('%j is refused in a sentence', (args, sentence) => {
  expect(() => read(...args)).toThrow(sentence);
});

describe('a time', () => {
  test.each([
    ['90s', 90_000],
    ['1.5h', 5_400_000],
    ['72h', 259_200_000],
  ])('%s', (text, milliseconds) => {
    expect(readDuration('--wait', text)).toBe(milliseconds);
  });
  test.each(['', '10', '0s', 'soon', '73h', '-1s', '1e3s', '10 m'])('"%s" is refused', (text) => {
    expect(() => readDuration('--wait', text)).toThrow(
      `--wait is "${text}". It must be a time with its unit`,
    );
  });
});

describe('a reference code', () => {
  test.each(['HS-7KQ2M9XD', 'hs-7kq2m9xd', '7KQ2M9XD', ' HS-7KQ2M9XD\n'])('%j', (text) => {
    expect(readRefCode(text)).toBe('HS-7KQ2M9XD');
  });

  test('may have letters for 0 and 1', () => {
    expect(readRefCode('hs-o1il7KQ2')).toBe('HS-01117KQ2');
  });
  test.each(['', 'HS-', 'HS-7KQ2M9X', 'HS-7KQ2M9XDD', 'HS-7KQ2M9XU', '../../etc'])(
    '%j is refused',
    (text) => {
      expect(() => readRefCode(text)).toThrow('One looks like HS-7KQ2M9XD.');
    },
  );
});
