import type { AddressInfo } from 'node:net';
import { connect, createServer, type Server, type Socket } from 'node:net';

export interface Cable extends AsyncDisposable {
  /** The server's address, led through the cable. */
  readonly url: string;
  /** Ends all connections and refuses new ones, as a server that is gone does. */
  cut(): Promise<void>;
  /** From now on no byte passes, and connections stay open, as when a network drops all packets. */
  hold(): void;
  /** Ends a cut or a hold. Bytes that were held are delivered late, as when TCP repeats lost packets. */
  restore(): Promise<void>;
  stop(): Promise<void>;
}

/** The two ends of one connection through a cable. */
interface Joint {
  readonly near: Socket;
  far: Socket | undefined;
}

/**
 * A way to a real server that a test can cut, where the server itself must stay up for other tests. It may
 * lead to several of one kind: connections go to them in turn, past those that refuse.
 */
export async function createCable(serverUrls: string | readonly string[]): Promise<Cable> {
  const targets = [serverUrls].flat().map((url) => new URL(url));
  const joints = new Set<Joint>();
  let server: Server | undefined;
  let port = 0;
  let held = false;
  let turn = 0;

  function join(near: Socket): void {
    const joint: Joint = { near, far: undefined };
    joints.add(joint);
    watch(near, joint);
    if (held) near.pause();
    else reach(joint, targets.length);
  }

  function reach(joint: Joint, triesLeft: number): void {
    const target = targets[turn++ % targets.length] as URL;
    const far = connect({ port: Number(target.port), host: target.hostname, allowHalfOpen: true });
    const refused = () => {
      if (triesLeft > 1 && !joint.near.destroyed) reach(joint, triesLeft - 1);
      else joint.near.destroy();
    };
    far.once('error', refused);
    far.once('connect', () => {
      far.off('error', refused);
      joint.far = far;
      watch(far, joint);
      if (joint.near.destroyed) far.destroy();
      else if (!held) lead(joint);
    });
  }

  function watch(socket: Socket, joint: Joint): void {
    socket.setNoDelay(true);
    socket.on('error', () => {});
    socket.on('close', () => {
      // While everything is held, the other side does not learn of the end.
      if (!held) finish(joint);
    });
  }

  function lead({ near, far }: Joint): void {
    if (!far) return;
    near.pipe(far);
    far.pipe(near);
  }

  /** One side is closed: the other one still gets what was sent before. */
  function finish(joint: Joint): void {
    const { near, far } = joint;
    near.destroySoon();
    far?.destroySoon();
    if (near.destroyed && far?.destroyed !== false) joints.delete(joint);
  }

  function end(joint: Joint): void {
    joints.delete(joint);
    joint.near.destroy();
    joint.far?.destroy();
  }

  function hold(): void {
    held = true;
    for (const { near, far } of joints) for (const socket of [near, far]) socket?.unpipe().pause();
  }

  function release(): void {
    held = false;
    for (const joint of joints) {
      if (joint.near.destroyed || joint.far?.destroyed) end(joint);
      else if (joint.far) lead(joint);
      else reach(joint, targets.length);
    }
  }

  async function restore(): Promise<void> {
    if (held) release();
    if (server) return;
    // A side that has sent everything may still wait for its answer.
    server = createServer({ allowHalfOpen: true }, join);
    await new Promise<void>((resolve, reject) => {
      server?.once('error', reject).listen(port, '127.0.0.1', resolve);
    });
    port = (server.address() as AddressInfo).port;
  }

  async function cut(): Promise<void> {
    const closing = server;
    server = undefined;
    held = false;
    for (const joint of joints) end(joint);
    await new Promise<void>((resolve) => {
      if (closing) closing.close(() => resolve());
      else resolve();
    });
  }

  await restore();
  const url = new URL(targets[0] as URL);
  url.host = `127.0.0.1:${port}`;
  return { url: url.href.replace(/\/$/, ''), cut, hold, restore, stop: cut, [Symbol.asyncDispose]: cut };
}
