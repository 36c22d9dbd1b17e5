/** The first thing in a text that looks like a version: `15.14`, `7.0.15`, `2.9.10`. */
export function findVersion(text: string): string | undefined {
  return /\d+(\.\d+)+|\d+(?=(beta|rc|devel))/.exec(text)?.[0];
}

export function isAtLeast(version: string, minimum: string): boolean {
  const [have, want] = [version, minimum].map((text) => text.split('.').map(Number));
  for (const [index, wanted] of (want ?? []).entries()) {
    const found = have?.[index] ?? 0;
    if (found !== wanted) return found > wanted;
  }
  return true;
}

export function majorOf(version: string): string {
  return version.split('.')[0] ?? version;
}
