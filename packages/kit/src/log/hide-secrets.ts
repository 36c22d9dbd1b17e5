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

const deepest = 4;

/**
 * The object itself if there is nothing to hide in it, as in nearly every line; else a copy without the
 * secrets. pino's own redaction took longer than all the rest of a line, 30 times over.
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
  if (typeof value !== 'object' || value === null || depth === deepest || ArrayBuffer.isView(value))
    return value;
  // An error loses its message when it is copied: its serializer makes it plain, and comes here then.
  return name === 'err' && value instanceof Error ? value : hideSecrets(value, depth + 1);
}
