import type { HttpCall } from '../black-box/http-call.ts';

/** A shell command that repeats a call. */
export function asCurl(baseUrl: string, { method, path, headers = {}, body }: HttpCall): string {
  const named = Object.entries(headers).flatMap(([name, value]) =>
    [value].flat().map((text) => `${name}: ${text}`),
  );
  const bytes = bytesOf(body);
  const isChunked = bytes !== undefined && typeof body !== 'string' && !Buffer.isBuffer(body);
  if (isChunked) named.push('transfer-encoding: chunked');
  const words = [
    'curl',
    '-si',
    '--path-as-is',
    '--globoff',
    '-X',
    method,
    ...named.flatMap((header) => ['-H', quote(header)]),
  ];
  const target = quote(baseUrl + path);
  if (bytes === undefined) return [...words, target].join(' ');
  return `echo ${bytes.toString('base64')} | base64 -d | ${[...words, '--data-binary', '@-', target].join(' ')}`;
}

function bytesOf(body: HttpCall['body']): Buffer | undefined {
  if (body === undefined) return undefined;
  if (typeof body === 'string' || Buffer.isBuffer(body)) return Buffer.from(body);
  return (body as unknown as { whole: Buffer }).whole;
}

const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
