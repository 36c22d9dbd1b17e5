import { randomBytes } from 'node:crypto';
import { subjectsFor } from '@expert-relay/contracts';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import {
  connect,
  type JetStreamManager,
  type NatsConnection,
  nanos,
  RetentionPolicy,
  StorageType,
} from 'nats';
import { ensureStream, type StreamSettings } from './stream.ts';

const mebibyte = 1024 ** 2;
const hour = 3_600_000;

let connection: NatsConnection;
let jsm: JetStreamManager;
let settings: StreamSettings;
let stream: string;
let subject: string;

beforeAll(async () => {
  connection = await connect({ servers: process.env.NATS_URL ?? 'nats://127.0.0.1:4222' });
  jsm = await connection.jetstreamManager({ checkAPI: false, timeout: 60_000 });
  chooseStream();
});

function chooseStream() {
  settings = { prefix: `t_${randomBytes(6).toString('hex')}`, maxBytes: mebibyte, replicas: 1 };
  const subjects = subjectsFor(settings.prefix);
  stream = subjects.stream;
  subject = subjects.event('new_message');
}

afterEach(async () => {
  await jsm.streams.delete(stream).catch(() => false);
  chooseStream();
});

afterAll(() => connection.close());

async function publish(count: number, bytes: number) {
  const jetstream = connection.jetstream({ timeout: 60_000 });
  for (let n = 0; n < count; n++) await jetstream.publish(subject, new Uint8Array(bytes));
}

describe('a missing stream', () => {
  test('is created with the settings', async () => {
    const { info, action, warnings } = await ensureStream(jsm, settings);
    expect({ action, warnings }).toEqual({ action: 'created', warnings: [] });
    expect(info.config).toMatchObject({
      name: stream,
      subjects: [`${settings.prefix}.v1.>`],
      storage: 'file',
      retention: 'limits',
      discard: 'old',
      max_age: nanos(73 * hour),
      max_bytes: mebibyte,
      duplicate_window: nanos(10 * 60_000),
      num_replicas: 1,
    });
  });

  test('is created once when several processes start at the same time', async () => {
    const outcomes = await Promise.all(
      [1, 2, 3, 4].map((size) => ensureStream(jsm, { ...settings, maxBytes: size * mebibyte })),
    );
    expect(new Set(outcomes.map(({ info }) => info.created)).size).toBe(1);
    expect(outcomes.filter(({ action }) => action === 'created')).toHaveLength(1);
  });

  test('may have a maximum age that is shorter than the duplicate window', async () => {
    const { info } = await ensureStream(jsm, { ...settings, maxAge: 60_000 });
    expect(info.config.duplicate_window).toBe(nanos(60_000));
  });
});

describe('an existing stream', () => {
  test('is not changed when it has the settings', async () => {
    const first = await ensureStream(jsm, settings);
    const second = await ensureStream(jsm, settings);
    expect(second.action).toBe('unchanged');
    expect(second.info.created).toBe(first.info.created);
  });

  test('grows to new limits and keeps its events', async () => {
    await ensureStream(jsm, settings);
    await publish(3, 10);
    const { info, action, warnings } = await ensureStream(jsm, {
      ...settings,
      maxBytes: 2 * mebibyte,
      maxAge: 100 * hour,
    });
    expect({ action, warnings }).toEqual({ action: 'adjusted', warnings: [] });
    expect(info.config).toMatchObject({ max_bytes: 2 * mebibyte, max_age: nanos(100 * hour) });
    expect(info.state.messages).toBe(3);
  });

  test('gets smaller limits when they drop no event', async () => {
    await ensureStream(jsm, settings);
    const { info, warnings } = await ensureStream(jsm, {
      ...settings,
      maxBytes: mebibyte / 2,
      maxAge: 50 * hour,
    });
    expect(warnings).toEqual([]);
    expect(info.config).toMatchObject({ max_bytes: mebibyte / 2, max_age: nanos(50 * hour) });
  });

  test('keeps limits when smaller ones would drop events, with a warning', async () => {
    await ensureStream(jsm, settings);
    await publish(8, 100_000);
    const { info, action, warnings } = await ensureStream(jsm, {
      ...settings,
      maxBytes: mebibyte / 2,
      maxAge: hour,
    });
    expect(action).toBe('unchanged');
    expect(info.config).toMatchObject({ max_bytes: mebibyte, max_age: nanos(73 * hour) });
    expect(warnings.join('\n')).toMatch(/keeps its max_bytes of 1048576.*\n.*keeps its max_age/);
    expect((await jsm.streams.info(stream)).state.messages).toBe(8);
  });

  test('keeps the subjects that another release added', async () => {
    await ensureStream(jsm, settings);
    const newer = `${settings.prefix}.v2.>`;
    await jsm.streams.update(stream, { subjects: [`${settings.prefix}.v1.>`, newer] });
    const { info } = await ensureStream(jsm, { ...settings, maxBytes: 2 * mebibyte });
    expect(info.config.subjects).toContain(newer);
  });

  test.each([
    { storage: StorageType.Memory, retention: RetentionPolicy.Limits },
    { storage: StorageType.File, retention: RetentionPolicy.Workqueue },
  ])('is refused with $storage storage and $retention retention', async (made) => {
    await jsm.streams.add({ name: stream, subjects: [`${settings.prefix}.v1.>`], ...made });
    await expect(ensureStream(jsm, settings)).rejects.toThrow(
      `was created with ${made.storage} storage and ${made.retention} retention`,
    );
  });
});
