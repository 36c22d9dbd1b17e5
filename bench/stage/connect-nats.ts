/** A connection of the bench's own, to put events into the stream past the services. */
export async function connectNats(url: string) {
  // Not built yet when this file is loaded.
  const { createNats } = await import('@expert-relay/kit/nats');
  const { createLog } = await import('@expert-relay/kit/log');
  const nats = createNats({ url, name: 'bench', log: createLog('bench', { level: 'error' }) });
  const connecting = new Promise<NonNullable<typeof nats.connection>>((resolve) =>
    nats.onConnection(resolve),
  );
  await nats.start?.();
  return { connection: await connecting, close: async () => nats.stop?.() };
}
