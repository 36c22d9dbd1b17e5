const units = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** `15s`, `1.5h`, `30d` -> milliseconds; `undefined` when the text is no duration. */
export function parseDuration(text: string): number | undefined {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(text);
  if (!match) return undefined;
  const milliseconds = Math.round(Number(match[1]) * units[match[2] as keyof typeof units]);
  return Number.isSafeInteger(milliseconds) ? milliseconds : undefined;
}
