import { describe, expect, test } from '@jest/globals';
import { createParser } from 'eventsource-parser';
import { createBlockReader } from './read-stream.ts';

function read(pieces: readonly string[]) {
  const received: unknown[] = [];
  const take = createBlockReader({
    onEvent: (name, data) => received.push({ name, data }),
    onPosition: (id) => received.push({ id }),
    onRetry: (wait) => received.push({ wait }),
  });
  for (const piece of pieces) take(piece);
  return received;
}

const stream =
  'retry: 1500\n: 1a.7.0\nid: 1a.7.0\n\nid: 1a.8.0\ndata: {"a":1}\n\n' +
  'event: hub.reset\nid: 1a.9.0\ndata: {\ndata: }\n\n: 1a.9.0\nid: 1a.9.0\n\ndata\n\nevent: hub.end\ndata:x\r\n\r\n';

describe('the parser of event streams', () => {
  test('reads events, positions and retry times', () => {
    expect(read([stream])).toEqual([
      { wait: 1500 },
      { id: '1a.7.0' },
      { name: 'message', data: '{"a":1}' },
      { id: '1a.8.0' },
      { name: 'hub.reset', data: '{\n}' },
      { id: '1a.9.0' },
      { id: '1a.9.0' },
      { name: 'message', data: '' },
      { name: 'hub.end', data: 'x' },
    ]);
  });

  test('reads the same from any pieces of the stream', () => {
    const whole = read([stream]);
    expect(read([...stream])).toEqual(whole);
    for (let at = 0; at < stream.length; at += 1) {
      expect(read([stream.slice(0, at), stream.slice(at)])).toEqual(whole);
    }
  });

  test('finds the same events as a well-known parser', () => {
    const other: unknown[] = [];
    const parser = createParser({
      onEvent: ({ event = 'message', data }) => other.push({ name: event, data }),
    });
    parser.feed(stream);
    expect(read([stream]).filter((one) => Object.hasOwn(one as object, 'name'))).toEqual(other);
  });

  test('refuses a block without an end', () => {
    expect(() => read(['data: '.padEnd(2_000_000, 'x')])).toThrow('expected a shorter block');
    expect(() => read(Array(2_000).fill(`data: ${'x'.repeat(1_000)}\n`))).toThrow('expected a shorter block');
  });

  test.each([
    ['a line in single characters', 'x'],
    ['many lines of one block', 'data\n'],
    ['empty blocks', '\n'],
    ['halves of line ends', '\r'],
  ])('%s cost no more than their length', (_, piece) => {
    const { user: before } = process.cpuUsage();
    // The beginning of the line is long already.
    read([': '.padEnd(2 ** 19, 'x'), ...Array<string>(2 ** 15).fill(piece)]);
    expect(process.cpuUsage().user - before).toBeLessThan(5_000_000);
  });
});
