import { describe, expect, test } from '@jest/globals';
import { createParser } from 'eventsource-parser';
import { createBlockReader } from './read-stream.ts';

function read(pieces: readonly string[]) {
  const said: unknown[] = [];
  const take = createBlockReader({
    onEvent: (name, data) => said.push({ name, data }),
    onPosition: (id) => said.push({ id }),
    onRetry: (wait) => said.push({ wait }),
  });
  for (const piece of pieces) take(piece);
  return said;
}

const stream =
  'retry: 1500\n: 1a.7.0\nid: 1a.7.0\n\nid: 1a.8.0\ndata: {"a":1}\n\n' +
  'event: hub.reset\nid: 1a.9.0\ndata: {\ndata: }\n\n: 1a.9.0\nid: 1a.9.0\n\ndata\n\nevent: hub.end\ndata:x\r\n\r\n';

describe('the blocks of a stream', () => {
  test('are events, places and waits', () => {
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

  test('are the same however the stream is cut', () => {
    const whole = read([stream]);
    expect(read([...stream])).toEqual(whole);
    for (let at = 0; at < stream.length; at += 1) {
      expect(read([stream.slice(0, at), stream.slice(at)])).toEqual(whole);
    }
  });

  test('hold the events that the usual parser finds', () => {
    const usual: unknown[] = [];
    const parser = createParser({
      onEvent: ({ event = 'message', data }) => usual.push({ name: event, data }),
    });
    parser.feed(stream);
    expect(read([stream]).filter((one) => Object.hasOwn(one as object, 'name'))).toEqual(usual);
  });

  test('must have an end', () => {
    expect(() => read(['data: '.padEnd(2_000_000, 'x')])).toThrow('expected a shorter block');
    expect(() => read(Array(2_000).fill(`data: ${'x'.repeat(1_000)}\n`))).toThrow('expected a shorter block');
  });
});
