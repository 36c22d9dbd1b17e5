import { createRequire } from 'node:module';
import { inSpan, type NewSpan } from '@expert-relay/kit/tracing';
import type * as Utilities from '@prisma/client-runtime-utils';
import pg from 'pg';

/*
 * Fragments of SQL for Prisma and for `Query`. Prisma recognises fragments by their class, which it loads as CommonJS; an
 * ES module would contain another class. Services that do not use Prisma load only this part of it.
 */
export const { sql, join, raw, empty } = createRequire(import.meta.url)(
  '@prisma/client-runtime-utils',
) as typeof Utilities;

export type Sql = Utilities.Sql;

/**
 * Runs one statement and returns its rows: `` query<Row>`SELECT ${value}` ``. It is used like Prisma's `$queryRaw`, and
 * costs half of its CPU time (docs/adr/0004-statements-past-prisma.md). It returns times as texts, in the form of responses.
 */
export type Query = <Row extends object>(
  statement: TemplateStringsArray,
  ...values: unknown[]
) => Promise<Row[]>;

export function createQuery(pool: Pick<pg.ClientBase, 'query'>, nameOf: (text: string) => string): Query {
  return async <Row extends object>(strings: TemplateStringsArray, ...given: unknown[]) => {
    const { text, values } = sql(strings, ...given);
    const { rows } = await inSpan(
      () => describe(text),
      () => pool.query<Row>({ name: nameOf(text), text, values, types: resultTypes }),
    );
    return rows;
  };
}

/** A statement in a trace: its changes, or else the first table that it reads. It has no values. */
function describe(text: string): Omit<NewSpan, 'parent'> {
  const changes = text.match(/\b(INSERT INTO|UPDATE|DELETE FROM) \w+/g) ?? text.match(/\bFROM \w+/);
  const summary = changes?.join(', ').replace(/^FROM/, 'SELECT FROM') ?? 'statement';
  return { name: summary, kind: 'client', attributes: { 'db.system.name': 'postgresql' } };
}

const timestamptz = 1184;

/** Parses results as usual, except times: a `Date` would be formatted again for the response. */
const resultTypes: pg.CustomTypesConfig = {
  getTypeParser: (oid, format) => (oid === timestamptz ? toIso : pg.types.getTypeParser(oid, format)),
};

/** `2026-11-21 04:00:00.12+00`, as a session in UTC writes it -> `2026-11-21T04:00:00.120Z`. */
export function toIso(text: string): string {
  const fraction = text.slice(20, text.indexOf('+', 19));
  return `${text.slice(0, 10)}T${text.slice(11, 19)}.${fraction.padEnd(3, '0').slice(0, 3)}Z`;
}

/** Without a limit, statements whose text varies (with the length of a list) would fill the server's memory. */
const maxNames = 500;

/**
 * Names statements by their text, so that Postgres parses and plans each once for a connection: 20 % more submits per
 * second. A pooler in transaction mode may not support names, so an address with `?pgbouncer=true`, the usual
 * parameter of Prisma, gets none.
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
