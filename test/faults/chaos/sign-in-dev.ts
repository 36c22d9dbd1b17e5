import { Agent } from 'node:http';
import { sendCall } from '../../black-box/http-call.ts';

/** The session cookie of a user, from the sign-in that only a local run has. */
export async function signInDev(gatewayUrl: string, user: string): Promise<string> {
  const agent = new Agent();
  try {
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify({ user });
    const answer = await sendCall(gatewayUrl, { method: 'POST', path: '/auth/dev', headers, body }, agent);
    const [cookie] = answer.headers['set-cookie'] ?? [];
    if (!cookie) throw new Error(`POST /auth/dev answered ${answer.status} without a cookie: ${answer.text}`);
    return cookie.split(';')[0] ?? '';
  } finally {
    agent.destroy();
  }
}
