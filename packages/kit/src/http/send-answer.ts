import type { ServerResponse } from 'node:http';
import type { Answer } from './route.ts';
import { sendPieces } from './send-pieces.ts';
import { sendText } from './send-text.ts';

export async function sendAnswer(response: ServerResponse, answer: Answer): Promise<void> {
  const headers = { 'cache-control': 'no-store', ...answer.headers };
  if (answer.stream) await sendPieces(response, answer.status, headers, answer.stream);
  else if (answer.body === undefined) response.writeHead(answer.status, headers).end();
  else sendText(response, answer.status, headers, JSON.stringify(answer.body));
}
