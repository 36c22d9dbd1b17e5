import { setTimeout as pause } from 'node:timers/promises';
import { openRaw, type RawConnection } from '@expert-relay/testkit';
import type { TestGateway } from './test-gateway.ts';

/**
 * Opens a connection whose client reads nothing, and gets a path until the kernel accepts nothing more for it. The gateway refuses a
 * request while the one before it is under way, so each is only sent when the access line of that one was written.
 */
export async function openUnread(
  gateway: TestGateway,
  { from, path, route = path }: { from: string; path: string; route?: string },
): Promise<{ connection: RawConnection; requests: number }> {
  const connection = await openRaw(gateway.url, from);
  connection.socket.pause();
  const countLines = () => gateway.lines.filter((line) => line.msg === 'call' && line.route === route).length;
  let unread = 0;
  for (let requests = 1; requests <= 100; requests++) {
    const lines = countLines();
    connection.send(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
    for (let looks = 0; countLines() === lines; ) {
      if (connection.socket.destroyed) return { connection, requests };
      unread = await gateway.metric('relay_gateway_buffered_bytes');
      looks = unread > 0 ? looks + 1 : 0;
      if (looks === 20) return { connection, requests };
      await pause(5);
    }
  }
  throw new Error('the kernel accepts everything');
}
