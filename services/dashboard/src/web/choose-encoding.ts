/** How a file may be compressed. */
export type Encoding = 'br' | 'gzip';

/** The order that counts where the client prefers none. */
const smallestFirst: readonly Encoding[] = ['br', 'gzip'];

/** The best of the available encodings for a client with this `Accept-Encoding`; `undefined` is none at all. */
export function chooseEncoding(
  accepted: string | undefined,
  available: { has(encoding: Encoding): boolean },
): Encoding | undefined {
  const weights = weightsIn(accepted ?? '');
  const weightOf = (encoding: Encoding) => weights.get(encoding) ?? weights.get('*') ?? 0;
  const [best] = smallestFirst
    .filter((encoding) => available.has(encoding) && weightOf(encoding) > 0)
    .sort((one, other) => weightOf(other) - weightOf(one));
  const withoutAny = weights.get('identity') ?? 0;
  return best && weightOf(best) >= withoutAny ? best : undefined;
}

/** `br, gzip;q=0.5` -> br 1, gzip 0.5. A weight that cannot be read is 0. */
function weightsIn(header: string): Map<string, number> {
  return new Map(
    header.split(',').map((entry) => {
      const [name = '', ...parameters] = entry.split(';').map((part) => part.trim().toLowerCase());
      const weight = parameters.find((parameter) => parameter.startsWith('q='));
      return [name, weight === undefined ? 1 : Number.parseFloat(weight.slice(2)) || 0];
    }),
  );
}
