import { get } from 'node:http';

/** What a service's ops port says: `undefined` when it is ready, else why it is not. */
export function askReady(opsUrl: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const request = get(`${opsUrl}/readyz`, { timeout: 2_000, agent: false }, (response) => {
      let body = '';
      response.setEncoding('utf8');
      response.on('data', (text: string) => {
        body += text;
      });
      response.on('end', () => resolve(response.statusCode === 200 ? undefined : reasonIn(body)));
      response.on('error', (error) => resolve(error.message));
    });
    request.on('timeout', () => request.destroy(new Error('no answer within 2 s')));
    request.on('error', (error) => resolve(error.message));
  });
}

/** Another program on the port may answer anything. */
function reasonIn(body: string): string {
  try {
    return JSON.parse(body).reason ?? 'not ready';
  } catch {
    return body.trim() || 'not ready';
  }
}
