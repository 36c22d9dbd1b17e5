import { get } from 'node:http';

/** A call of a service. `fetch` would load its library, whose memory the launcher keeps while it runs. */
export function getUrl(
  url: string,
  { timeoutMs, headers = {} }: { timeoutMs: number; headers?: Record<string, string> },
): Promise<{ status: number | undefined; text: string }> {
  return new Promise((resolve, reject) => {
    const signal = AbortSignal.timeout(timeoutMs);
    const request = get(url, { agent: false, headers, signal }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part) => {
        text += part;
      });
      response.once('error', reject).once('end', () => resolve({ status: response.statusCode, text }));
    });
    request.once('error', reject);
  });
}
