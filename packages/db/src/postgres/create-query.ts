import type pg from 'pg';
import { answerTypes } from './answer-types.ts';
import { sql } from './sql.ts';

/**
 * Runs one statement and gives its rows: `` query<Row>`SELECT ${value}` ``. For what agents and experts call
 * all day. It reads like Prisma's `$queryRaw`, which takes twice the CPU time for the same (docs/adr/0004);
 * but times come as texts, as answers show them.
 */
export type Query = <Row extends object>(
  statement: TemplateStringsArray,
  ...values: unknown[]
) => Promise<Row[]>;

export function createQuery(pool: pg.Pool, nameOf: (text: string) => string): Query {
  return async <Row extends object>(strings: TemplateStringsArray, ...given: unknown[]) => {
    const { text, values } = sql(strings, ...given);
    const { rows } = await pool.query<Row>({ name: nameOf(text), text, values, types: answerTypes });
    return rows;
  };
}
