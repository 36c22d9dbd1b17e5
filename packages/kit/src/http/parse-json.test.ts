import { describe, expect, jest, test } from '@jest/globals';
import { Problem } from '../problem/index.ts';
import { parseJson } from './parse-json.ts';

const members = (count: number) => Array.from({ length: count }, (_, index) => `"m${index}":0`).join();
const parse = (text: string | Buffer) => parseJson(Buffer.from(text));
const problemOf = (text: string | Buffer): Problem => {
  try {
    parse(text);
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
  throw new Error('was not refused');
};
const refusal = (text: string | Buffer): string => {
  const { code, message } = problemOf(text);
  expect(code).toBe('invalid_json');
  return message;
};

test.each([
  '{}',
  '{"a":1}',
  ' {"a": {"b": [1, {"c": null}]}, "d": "x:y{[\\"\\\\"} ',
  '{"a":"\\\\\\"}:{","b":[{"a":1},{"a":2}]}',
  '{"numbers":[1.7976931348623157e308,-0,1e-400,12345678901234567890]}',
  '{"emoji":"\u{1f600}","escaped":"\\ud83d\\ude00","constructor":1}',
  `{"deep":${'['.repeat(31)}${']'.repeat(31)}}`,
  `{"text":"${',:[{'.repeat(10_000)}"}`,
  `{${members(10_000)}}`,
  `{"list":[${'1,'.repeat(9_998)}1]}`,
])('valid JSON is parsed as by JSON.parse: %.60s', (text) => {
  expect(parse(text)).toEqual(JSON.parse(text));
});

describe('input is refused with a sentence:', () => {
  test.each([
    ['nothing', '', /not valid JSON/],
    ['half an object', '{"a":', /not valid JSON/],
    ['an unclosed text', '{"a":"b', /not valid JSON/],
    ['a list', '[{}]', /one JSON object/],
    ['null', 'null', /one JSON object/],
    ['a number', '1', /one JSON object/],
    ['a member twice', '{"a":1,"a":1}', /twice/],
    ['a member twice, in two spellings', '{"a":1,"\\u0061":2}', /twice/],
    ['a member twice, deep inside', '{"x":[{"a":{"b":1,"b":2}}]}', /twice/],
    ['__proto__', '{"__proto__":{"admin":true}}', /__proto__/],
    ['__proto__ with an escape', '{"x":{"__proto\\u005f_":1}}', /__proto__/],
    ['a number beyond a double', '{"a":1e400}', /range of a double/],
    ['a negative one, deep inside', '{"a":[{"b":-1e309}]}', /range of a double/],
    ['one of many digits', `{"a":${'9'.repeat(400)}}`, /range of a double/],
    ['33 levels', `{"a":${'['.repeat(32)}${']'.repeat(32)}}`, /32 levels/],
    ['400,000 levels', '['.repeat(400_000), /32 levels/],
    ['a byte order mark', '\ufeff{}', /not valid JSON/],
  ])('%s', (_name, text, sentence) => {
    expect(refusal(text)).toMatch(sentence);
  });

  test('bytes that are not UTF-8', () => {
    expect(refusal(Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]))).toMatch(/UTF-8/);
    expect(refusal(Buffer.from('{"a":"\ud800"}', 'utf16le'))).toMatch(/UTF-8/);
  });
});

test.each([
  ['NUL in a text', '{"a":["b\\u0000"]}', 'nul_character'],
  ['NUL in a name', '{"a\\u0000":1}', 'nul_character'],
  ['half a surrogate pair in a text', '{"a":"\\ud83d"}', 'lone_surrogate'],
  ['the other half in a name', '{"x":{"\\ude00":1}}', 'lone_surrogate'],
])('%s is refused with a code of its own', (_name, text, code) => {
  expect(problemOf(text).code).toBe(code);
});

describe('more than 10,000 members and list entries are refused before anything is parsed:', () => {
  test.each([
    ['members', `{${members(10_001)}}`],
    ['entries', `{"list":[${'1,'.repeat(9_999)}1]}`],
    ['empty objects', `{"messages":[${'{},'.repeat(5_000)}{}]}`],
    ['members of members', `{"a":[${'{"b":{"c":0}},'.repeat(3_400)}0]}`],
    ['members that never end', `{${'"a":0,'.repeat(150_000)}`],
  ])('%s', (_name, text) => {
    const parser = jest.spyOn(JSON, 'parse');
    try {
      expect(refusal(text)).toMatch(/more than 10,000 members/);
      expect(parser).not.toHaveBeenCalled();
    } finally {
      parser.mockRestore();
    }
  });
});

test('a long text of backslashes is read in linear time', () => {
  const { user: before } = process.cpuUsage();
  refusal(`{"a":"${'\\'.repeat(1_000_000)}`);
  refusal(`{"a":"${'\\"'.repeat(500_000)}`);
  expect(process.cpuUsage().user - before).toBeLessThan(5_000_000);
});
