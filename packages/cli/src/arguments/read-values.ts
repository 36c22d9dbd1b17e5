import { Failure } from '../failure.ts';

const units = { s: 1_000, m: 60_000, h: 3_600_000 } as const;

/** `90s`, `10m`, `1.5h` in milliseconds. At most 72 hours, for which a conversation lasts by default. */
export function readDuration(option: string, text: string): number {
  const [, number, unit] = /^(\d+(?:\.\d+)?)([smh])$/.exec(text) ?? [];
  const milliseconds = Math.round(Number(number) * units[unit as keyof typeof units]);
  if (!(milliseconds > 0 && milliseconds <= 72 * units.h)) {
    throw new Failure(
      'usage',
      `${option} is "${text}". It must be a time with its unit, such as 90s, 10m or 2h, of at most 72h.`,
    );
  }
  return milliseconds;
}

/** `HS-7KQ2M9XD` as the relay writes it. Users may type lower case, leave out `HS-`, and take letters for 0 and 1. */
export function readRefCode(text: string): string {
  const typed = text.trim().toUpperCase().replaceAll('O', '0').replaceAll(/[IL]/g, '1');
  const [, code] = /^(?:HS-)?([0-9A-HJKMNP-TV-Z]{8})$/.exec(typed) ?? [];
  if (code === undefined) {
    throw new Failure('usage', `"${text}" is not a reference code. One looks like HS-7KQ2M9XD.`);
  }
  return `HS-${code}`;
}
