/** Fields that must never be logged, at any depth of an object. */
const secretFields = new Set([
  'apiKey',
  'authorization',
  'ciphertext',
  'content',
  'cookie',
  'encrypted',
  'key',
  'messages',
  'password',
  'plaintext',
  'principal',
  'question',
  'secret',
  'set-cookie',
  'signature',
  'token',
  'x-api-key',
  'x-relay-principal',
]);

const maxDepth = 4;

/**
 * Returns the object itself if there is nothing to hide in it, as in nearly every line, or else a copy without the secrets.
 * pino's own redaction took 30 times as long as the rest of a line.
 */
export function hideSecrets<T extends object>(object: T, depth = 1): T {
  let copy: Record<string, unknown> | undefined;
  for (const [name, value] of Object.entries(object)) {
    const shown = secretFields.has(name) ? '[redacted]' : hideInside(name, value, depth);
    if (shown === value) continue;
    copy ??= (Array.isArray(object) ? [...object] : { ...object }) as Record<string, unknown>;
    copy[name] = shown;
  }
  return (copy as T | undefined) ?? object;
}

function hideInside(name: string, value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null || depth === maxDepth || ArrayBuffer.isView(value))
    return value;
  // A copy of an error would have no message. Its serializer makes a plain object of it first, and hides the secrets then.
  return name === 'err' && value instanceof Error ? value : hideSecrets(value, depth + 1);
}
