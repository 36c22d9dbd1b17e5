import { expect, test } from '@jest/globals';
import * as z from 'zod';
import { Problem } from '../problem/index.ts';
import { parseQuery } from './parse-body.ts';

const schema = z.object({ limit: z.string().optional() });

function fieldsOf(query: URLSearchParams): unknown {
  try {
    parseQuery(schema, query);
  } catch (error) {
    if (error instanceof Problem) return error.toJSON().fields;
    throw error;
  }
  throw new Error('was not refused');
}

test('a query is checked like a body; unknown parameters are ignored', () => {
  expect(parseQuery(schema, new URLSearchParams('limit=7&x=1'))).toEqual({ limit: '7' });
});

test.each([
  ['limit=1&x=2&limit=1', 'limit', 'Expected this parameter once.'],
  ['x=1&x=2', 'x', 'Expected this parameter once.'],
  ['a=1&b=%00&a=2', 'a', 'Expected this parameter once.'],
  ['a=1&b=%00&c=1&c=2', 'b', 'Expected a text without NUL.'],
  [`${'n'.repeat(5_000)}=%00`, 'n'.repeat(100), 'Expected a text without NUL.'],
])('%.40s is refused', (query, path, message) => {
  expect(fieldsOf(new URLSearchParams(query))).toEqual([{ path, code: 'value', message }]);
});

test('parameters are not searched for by name, since each search reads the whole query', () => {
  let searches = 0;
  class Counted extends URLSearchParams {
    override has(name: string): boolean {
      searches++;
      return super.has(name);
    }
    override get(name: string): string | null {
      searches++;
      return super.get(name);
    }
    override getAll(name: string): string[] {
      searches++;
      return super.getAll(name);
    }
  }
  const query = new Counted(Array.from({ length: 2_000 }, (_, index) => `p${index}=`).join('&'));
  expect(parseQuery(schema, query)).toEqual({});
  expect(searches).toBe(0);
});
