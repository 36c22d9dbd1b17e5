import { createRequire } from 'node:module';
import type * as Utilities from '@prisma/client-runtime-utils';
import pg from 'pg';

/*
 * Fragments of SQL that Prisma and `Query` both take. Prisma recognises fragments by their class, which it loads as
 * CommonJS; as an ES module it would be another class. Services that do without Prisma load no more of it than this.
 */
export const { sql, join, raw, empty } = createRequire(import.meta.url)(
  '@prisma/client-runtime-utils',
) as typeof Utilities;

export type Sql = Utilities.Sql;

/**
 * Runs one statement and returns its rows: `` query<Row>`SELECT ${value}` ``. For the calls of agents and experts.
 * It is used like Prisma's `$queryRaw`, which takes twice the CPU time for the same (docs/adr/0004);
 * but times are returned as texts, as answers show them.
 */
export type Query = <Row extends object>(
  statement: TemplateStringsArray,
  ...values: unknown[]
) => Promise<Row[]>;

export function createQuery(pool: pg.Pool, nameOf: (text: string) => string): Query {
  return async <Row extends object>(strings: TemplateStringsArray, ...given: unknown[]) => {
    const { text, values } = sql(strings, ...given);
    const { rows } = await pool.query<Row>({ name: nameOf(text), text, values, types: resultTypes });
    return rows;
  };
}

const timestamptz = 1184;

/** Parses results as usual, except times: a `Date` would only be formatted again for the answer. */
const resultTypes: pg.CustomTypesConfig = {
  getTypeParser: (oid, format) => (oid === timestamptz ? toIso : pg.types.getTypeParser(oid, format)),
};

/** `2026-11-21 04:00:00.12+00`, as a session in UTC writes it -> `2026-11-21T04:00:00.120Z`. */
export function toIso(text: string): string {
  const fraction = text.slice(20, text.indexOf('+', 19));
  return `${text.slice(0, 10)}T${text.slice(11, 19)}.${fraction.padEnd(3, '0').slice(0, 3)}Z`;
}

/** Statements whose text varies (lists of any length) must not fill the server's memory. */
const maxNames = 500;

/**
 * Names statements by their text, so that Postgres parses and plans each once per connection: measured, a
 * fifth more submits per second. A pooler in transaction mode may not know such names; an address that
 * says `?pgbouncer=true`, as is usual with Prisma, goes without.
 */
export function statementNames(url: string): (text: string) => string {
  const unnamed = '';
  if (/[?&]pgbouncer=true(&|$)/.test(url)) return () => unnamed;
  const names = new Map<string, string>();
  return (text) => {
    const known = names.get(text);
    if (known !== undefined) return known;
    if (names.size >= maxNames) return unnamed;
    const name = `relay_${names.size}`;
    names.set(text, name);
    return name;
  };
}
