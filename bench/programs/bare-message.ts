import { connect, JSONCodec } from 'nats';
import { answerCommands } from './answer-commands.ts';
import { insertMessage, openPool } from './bare-queries.ts';
import { readText, sendJson, serve } from './bare-server.ts';

const { NATS_URL: servers = '', BENCH_STREAM: stream = '' } = process.env;
const pool = openPool();
const connection = await connect({ servers });
const manager = await connection.jetstreamManager();
await manager.streams.add({ name: stream, subjects: [stream], max_bytes: 2 ** 28 });
const jetstream = connection.jetstream();
const codec = JSONCodec();

/** A message with only Node's HTTP, one statement, and one publish after the answer, without any check. */
serve(async (request, response) => {
  const requestId = request.url?.split('/').at(-1) ?? '';
  const { role, messageId, plaintext } = JSON.parse(await readText(request));
  const { rows } = await insertMessage(pool, { requestId, role, messageId, plaintext });
  const [{ ref_code, created_at }] = rows;
  const body = { requestId, refCode: `HS-${ref_code}`, status: 'responded', messageId, role };
  sendJson(response, 201, JSON.stringify({ ...body, createdAt: created_at }));
  await jetstream.publish(
    stream,
    codec.encode({ requestId, event: { type: 'new_message', role, messageId } }),
  );
});
answerCommands();
