import { request } from 'node:http';
import { answerCommands } from './answer-commands.ts';
import { repeat } from './timed-run.ts';

const url = process.env.BENCH_RECEIVER_URL ?? '';
const body = JSON.stringify({ type: 'webhook.test', timestamp: '2026-01-01T00:00:00.000Z', data: {} });

/** A POST on a connection of its own, as a delivery is: nothing is signed, checked or recorded. */
const post = () =>
  new Promise<void>((resolve, reject) => {
    const headers = {
      'content-type': 'application/json',
      'content-length': body.length,
      connection: 'close',
    };
    const call = request(url, { method: 'POST', agent: false, headers }, (answer) => {
      answer.resume().once('end', resolve);
    });
    call.once('error', reject).end(body);
  });

answerCommands({ run: repeat(post) });
