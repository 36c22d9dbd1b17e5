import { Failure } from '../failure.ts';

/** `HS-7KQ2M9XD` as it is written by the relay; people may type it in lower case and without `HS-`. */
export function readRefCode(text: string): string {
  const [, code] = /^(?:HS-)?([0-9A-HJKMNP-TV-Z]{8})$/.exec(text.trim().toUpperCase()) ?? [];
  if (code === undefined) {
    throw new Failure('usage', `"${text}" is not a reference code. One looks like HS-7KQ2M9XD.`);
  }
  return `HS-${code}`;
}
