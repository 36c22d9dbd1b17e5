/** A whole HTTP request as it goes over the wire. */
export function httpText(
  method: string,
  path: string,
  options: { headers?: Readonly<Record<string, string>>; body?: object } = {},
): string {
  const body = options.body ? JSON.stringify(options.body) : '';
  const headers = {
    host: '127.0.0.1',
    accept: 'application/json',
    'user-agent': 'bench',
    ...options.headers,
    ...(options.body && {
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(body)),
    }),
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body}`;
}
