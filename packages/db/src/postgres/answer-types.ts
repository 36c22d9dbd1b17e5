import pg from 'pg';

const timestamptz = 1184;

/**
 * How Postgres's values become JavaScript's: as ever, but for times. Those go out as they come in, as text:
 * each was parsed into a `Date` only to be formatted again.
 */
export const answerTypes: pg.CustomTypesConfig = {
  getTypeParser: (oid, format) => (oid === timestamptz ? toIso : pg.types.getTypeParser(oid, format)),
};

/** `2026-11-21 04:00:00.12+00`, as a session in UTC writes it -> `2026-11-21T04:00:00.120Z`. */
export function toIso(text: string): string {
  const fraction = text.slice(20, text.indexOf('+', 19));
  return `${text.slice(0, 10)}T${text.slice(11, 19)}.${fraction.padEnd(3, '0').slice(0, 3)}Z`;
}
