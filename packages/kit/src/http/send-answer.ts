import type { ServerResponse } from 'node:http';
import type { Answer } from './route.ts';
import { sendPieces } from './send-pieces.ts';
import { sendText } from './send-text.ts';

/** `beforeLong` is called before the first byte of a long answer, and may throw. */
export async function sendAnswer(
  response: ServerResponse,
  answer: Answer,
  beforeLong: () => void = () => {},
): Promise<void> {
  const { status, stream, body } = answer;
  const headers = { 'cache-control': 'no-store', ...answer.headers };
  if (stream) await sendPieces(response, status, headers, stream, beforeLong);
  else if (body === undefined) response.writeHead(status, headers).end();
  else sendText(response, status, headers, JSON.stringify(body), beforeLong);
}
