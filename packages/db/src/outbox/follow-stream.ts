import { ensureStream, type StreamSettings, subjectsFor } from '@expert-relay/contracts';
import type { Log } from '@expert-relay/kit/log';
import type { NatsConnection, NatsError, StreamInfo } from 'nats';
import type { StreamPosition } from './kept-rows.ts';

const noSuchStream = 10059;
const answerWithin = 2_000;

/** Looks at the stream; the first time, and whenever it is gone, makes or adjusts it. */
export function followStream(
  connection: NatsConnection,
  settings: StreamSettings,
  log: Log,
): () => Promise<StreamPosition> {
  const { stream } = subjectsFor(settings.prefix);
  const manager = connection.jetstreamManager({ checkAPI: false, timeout: answerWithin });
  let made = false;

  async function make(): Promise<StreamInfo> {
    const { info, action, notes } = await ensureStream(await manager, settings);
    for (const note of notes) log.warn(note);
    if (action !== 'unchanged')
      log.info({ stream }, action === 'made' ? 'made the stream' : 'adjusted the stream');
    made = true;
    return info;
  }

  async function look(): Promise<StreamInfo> {
    if (!made) return await make();
    try {
      return await (await manager).streams.info(stream);
    } catch (error) {
      if ((error as NatsError).api_error?.err_code !== noSuchStream) throw error;
      log.warn({ stream }, 'the stream is gone: making it anew');
      return await make();
    }
  }

  return async () => {
    const info = await look();
    return { epoch: String(info.created), lastSeq: info.state.last_seq };
  };
}
