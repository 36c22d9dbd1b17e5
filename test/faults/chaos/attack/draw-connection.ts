import { createRandom, type Random } from '../../plan/random.ts';
import { cut, largeBodies } from './bodies.ts';
import { type Call, encodeCall, makeCall, pickWeighted } from './call.ts';
import type { Connection, Knowledge, Port, Step } from './connection.ts';
import { drawGatewayCall, listLargeConversation } from './gateway-calls.ts';
import { drawHubCall, openAnonymousStream } from './hub-calls.ts';
import { junk } from './junk.ts';
import { applyMutation, mutateCall } from './mutations.ts';

/** The number of loopback addresses of the attackers. */
const addresses = 300;

interface Shape {
  readonly to: Port;
  readonly title: string;
  readonly steps: readonly Step[];
}

type DrawShape = (random: Random, knowledge: Knowledge) => Shape;

/** The same seed and index always give the same connection, apart from credentials. */
export function drawConnection(seed: number, index: number, knowledge: Knowledge): Connection {
  // The first numbers of neighbouring seeds are similar, so they are not used.
  const mixed = createRandom(Math.imul(seed, 0x9e3779b1) ^ Math.imul(index + 1, 0x85ebca6b));
  for (let count = 0; count < 4; count++) mixed.next();
  const random = mixed.fork();
  // Honest clients have 127.0.0.1, so that limits by address do not affect them.
  const address = random.integer(0, addresses - 1);
  const from = `127.0.${1 + Math.floor(address / 250)}.${1 + (address % 250)}`;
  return { index, from, ...pickWeighted(random, shapes)(random, knowledge) };
}

const send = (bytes: Buffer): Step => ({ does: 'send', bytes });
const wait = (ms: number): Step => ({ does: 'wait', ms });
const untilEnd = (withinMs: number): Step => ({ does: 'wait for the end', withinMs });

/** How a connection ends after everything was sent. */
function drawEnding(random: Random): Step[] {
  return pickWeighted<() => Step[]>(random, [
    [9, () => [untilEnd(random.integer(50, 400))]],
    [2, () => []],
    [2, () => [{ does: 'reset' }]],
    [2, () => [wait(random.integer(0, 60)), { does: 'reset' }]],
    [2, () => [{ does: 'half-close' }, untilEnd(random.integer(50, 400))]],
    [1, () => [{ does: 'half-close' }, wait(random.integer(0, 20)), { does: 'reset' }]],
    [1, () => [{ does: 'stop reading' }, wait(random.integer(50, 800))]],
  ])();
}

const drawPort = (random: Random): Port => (random.chance(0.7) ? 'gateway' : 'hub');

const drawCall = (random: Random, to: Port, knowledge: Knowledge): Call =>
  to === 'gateway' ? drawGatewayCall(random, knowledge) : drawHubCall(random, knowledge);

/** The bytes of a call, which is mutated with the probability `mutated`. */
function drawBytes(
  random: Random,
  to: Port,
  knowledge: Knowledge,
  mutated: number,
): { bytes: Buffer; title: string } {
  const call = drawCall(random, to, knowledge);
  const name = `${call.method} ${call.target.split('?')[0]?.slice(0, 60)}`;
  const done = random.chance(mutated) ? mutateCall(call, random) : [];
  return { bytes: encodeCall(call, random), title: [name, ...done].join(', ') };
}

const single: DrawShape = (random, knowledge) => {
  const to = drawPort(random);
  const { bytes, title } = drawBytes(random, to, knowledge, 0.8);
  return { to, title, steps: [send(bytes), ...drawEnding(random)] };
};

const pipelined: DrawShape = (random, knowledge) => {
  const to = drawPort(random);
  const count = random.integer(2, random.chance(0.2) ? 50 : 8);
  const mutated = random.pick([0, 0.1, 0.5]);
  const calls = Array.from({ length: count }, () => drawBytes(random, to, knowledge, mutated));
  const bytes = Buffer.concat(calls.map((call) => call.bytes));
  const title = `${count} pipelined: ${calls
    .slice(0, 4)
    .map((call) => call.title)
    .join(' | ')}`;
  return { to, title, steps: [send(bytes), ...drawEnding(random)] };
};

/** Many copies of one call, after which the connection often ends before the responses. */
const pipelinedCopies: DrawShape = (random, knowledge) => {
  const to = drawPort(random);
  const { bytes, title } = drawBytes(random, to, knowledge, 0.5);
  const count = random.integer(2, 40);
  const steps = [send(Buffer.concat(Array.from({ length: count }, () => bytes))), ...drawEnding(random)];
  return { to, title: `${count} times ${title}`, steps };
};

const sequential: DrawShape = (random, knowledge) => {
  const to = drawPort(random);
  const calls = Array.from({ length: random.integer(2, 6) }, () => drawBytes(random, to, knowledge, 0.2));
  const steps = calls.flatMap(({ bytes }) => [send(bytes), wait(random.integer(0, 60))]);
  return {
    to,
    title: `sequential: ${calls.map(({ title }) => title).join(' | ')}`,
    steps: [...steps, ...drawEnding(random)],
  };
};

/** Node gives a bare socket to the handlers of CONNECT and upgrades, so the timing of the peer matters most. */
const tunnel: DrawShape = (random, knowledge) => {
  const to = drawPort(random);
  const kind = random.pick(['CONNECT', 'Upgrade: websocket', 'Upgrade: h2c']);
  const call = drawCall(random, to, knowledge);
  applyMutation(kind, call, random);
  const more = random.chance(0.3) ? drawBytes(random, to, knowledge, 0.5).bytes : Buffer.alloc(0);
  const steps = [send(Buffer.concat([encodeCall(call, random), more])), ...drawEnding(random)];
  return { to, title: kind, steps };
};

/** After the head, the hub's own code handles a stream. Further bytes from the client must have no effect. */
const onStream: DrawShape = (random, knowledge) => {
  const stream = encodeCall(openAnonymousStream(random, knowledge), random);
  const { bytes, title } = drawBytes(random, 'hub', knowledge, 0.8);
  const opened = random.chance(0.5)
    ? [send(stream), wait(random.integer(0, 80)), send(bytes)]
    : [send(Buffer.concat([stream, bytes]))];
  return { to: 'hub', title: `on a stream: ${title}`, steps: [...opened, ...drawEnding(random)] };
};

const oddBytes: DrawShape = (random) => {
  const [title, make] = random.pick(Object.entries(junk));
  return { to: drawPort(random), title, steps: [send(make(random)), ...drawEnding(random)] };
};

const truncated: DrawShape = (random, knowledge) => {
  const to = drawPort(random);
  const { bytes, title } = drawBytes(random, to, knowledge, 0.3);
  return { to, title: `truncated: ${title}`, steps: [send(cut(random, bytes)), ...drawEnding(random)] };
};

const large: DrawShape = (random, knowledge) => {
  const [title, make] = random.pick(Object.entries(largeBodies));
  const path = random.pick([
    '/api/v1/help',
    `/api/v1/message/${random.pick(knowledge.requestIds.slice(1))}`,
    '/api/v1/stream-token',
    '/api/keys',
    '/auth/dev',
    '/api/v1/vault',
  ]);
  const call = makeCall(
    path.endsWith('vault') ? 'PUT' : 'POST',
    path,
    [
      ['host', knowledge.gatewayHost],
      ['content-type', 'application/json'],
      ['x-api-key', random.pick([...knowledge.consumerKeys, ...knowledge.providerKeys])],
      ['cookie', knowledge.cookie],
    ],
    Buffer.from(make(random.pick(knowledge.consumerKeys))),
  );
  return {
    to: 'gateway',
    title: `${title} to ${path}`,
    steps: [send(encodeCall(call, random)), ...drawEnding(random), untilEnd(1_500)],
  };
};

/** A head, or a body, a few bytes at a time. */
const trickles: DrawShape = (random, knowledge) => {
  const to = drawPort(random);
  const { bytes, title } = drawBytes(random, to, knowledge, 0.2);
  const head = random.chance(0.3) ? 0 : Math.max(0, bytes.indexOf('\r\n\r\n') + 4);
  const rest = bytes.subarray(head, head + 200);
  const everyMs = random.integer(50, 400);
  const steps: Step[] = [
    send(bytes.subarray(0, head)),
    { does: 'trickle', bytes: rest, size: random.integer(1, 4), everyMs },
  ];
  return {
    to,
    title: `trickles: ${title}`,
    steps: [...steps.filter((step) => head > 0 || step.does !== 'send'), ...drawEnding(random)],
  };
};

const readsSlowly: DrawShape = (random, knowledge) => {
  const to = drawPort(random);
  const calls = Array.from({ length: random.integer(1, 3) }, () =>
    to === 'gateway' ? listLargeConversation(random, knowledge) : openAnonymousStream(random, knowledge),
  );
  const bytes = Buffer.concat(calls.map((call) => encodeCall(call, random)));
  const reading: Step = random.chance(0.5)
    ? { does: 'stop reading' }
    : { does: 'read slowly', size: random.integer(1, 20_000), everyMs: random.integer(50, 500) };
  const last: Step[] = random.chance(0.5) ? [{ does: 'reset' }] : [];
  return {
    to,
    title: `${reading.does}, ${to === 'gateway' ? 'a conversation of many megabytes' : 'a stream'}`,
    steps: [reading, send(bytes), wait(random.integer(500, 8_000)), ...last],
  };
};

/** Responses of any route, of which nothing is read. */
const unreadResponses: DrawShape = (random, knowledge) => {
  const call = drawGatewayCall(random, knowledge);
  const copies = random.integer(1, 16);
  const bytes = Buffer.concat(Array.from({ length: copies }, () => encodeCall(call, random)));
  return {
    to: 'gateway',
    title: `reads nothing of ${copies} responses: ${call.method} ${call.target}`,
    steps: [{ does: 'stop reading' }, send(bytes), wait(random.integer(500, 8_000))],
  };
};

/** A large body to any route with any method, whole or in part. */
const unexpectedBody: DrawShape = (random, knowledge) => {
  const call = drawGatewayCall(random, knowledge);
  call.method = random.pick([call.method, 'GET', 'HEAD', 'OPTIONS', 'DELETE']);
  call.body = Buffer.alloc(random.integer(1, 1_048_576), 'a');
  call.framing = random.pick(['length', 'chunked']);
  const bytes = encodeCall(call, random);
  const sent = random.chance(0.5) ? bytes.length : random.integer(1, bytes.length);
  return {
    to: 'gateway',
    title: `${sent} of ${bytes.length} bytes of a body: ${call.method} ${call.target}`,
    steps: [send(bytes.subarray(0, sent)), wait(random.integer(0, 3_000)), ...drawEnding(random)],
  };
};

const silent: DrawShape = (random) => ({
  to: drawPort(random),
  title: 'nothing is sent',
  steps: [wait(random.integer(0, random.chance(0.1) ? 15_000 : 500)), ...drawEnding(random)],
});

const longStream: DrawShape = (random, knowledge) => {
  const steps = [send(encodeCall(drawHubCall(random, knowledge), random)), wait(random.integer(500, 5_000))];
  return { to: 'hub', title: 'a stream for some seconds', steps: [...steps, ...drawEnding(random)] };
};

const shapes: readonly (readonly [weight: number, shape: DrawShape])[] = [
  [300, single],
  [120, pipelined],
  [80, pipelinedCopies],
  [80, sequential],
  [80, tunnel],
  [80, onStream],
  [60, oddBytes],
  [80, truncated],
  [10, large],
  [30, trickles],
  [6, readsSlowly],
  [20, unreadResponses],
  [20, unexpectedBody],
  [30, silent],
  [40, longStream],
];
