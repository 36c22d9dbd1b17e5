export interface Submitted {
  status: number;
  headers: Headers;
  body: { requestId: string; refCode: string; status: string; expiresAt: string };
}

/** Submits a help request without encryption, which needs only an API key. */
export async function submit(
  gatewayUrl: string,
  apiKey: string,
  request: { question?: string; plaintext?: string } = {},
): Promise<Submitted> {
  const response = await fetch(`${gatewayUrl}/api/v1/help`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ apiKey, messages: [], plaintext: 'I am stuck.', ...request }),
  });
  return {
    status: response.status,
    headers: response.headers,
    body: (await response.json()) as Submitted['body'],
  };
}
