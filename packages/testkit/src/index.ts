export { type CapturedLogs, captureLogs, type LogLine } from './capture-logs.ts';
export { forgetRedisKeys, readRedisKeys } from './constellation/forget.ts';
export { reservePort } from './constellation/reserve-port.ts';
export {
  type Constellation,
  type ConstellationOptions,
  startConstellation,
} from './constellation/start-constellation.ts';
export { type TestServers, testServers } from './constellation/test-servers.ts';
export { untilReady } from './constellation/until-ready.ts';
export { type Cable, createCable } from './create-cable.ts';
export { createFakeClock, type FakeClock } from './create-fake-clock.ts';
export { eventually } from './eventually.ts';
export { type Flood, type FloodingRelay, startFloodingRelay } from './flooding-relay.ts';
export { type Call, type Json, type Lie, type LyingRelay, startLyingRelay } from './lying-relay.ts';
export { type GithubServer, type GithubUser, startGithubServer } from './providers/start-github-server.ts';
export { type OpenIdProvider, startOpenIdProvider } from './providers/start-openid-provider.ts';
export { openStream, type StreamEvent, type TestStream } from './stream/open-stream.ts';
export { readBlocks } from './stream/read-blocks.ts';
export { topicUrl } from './stream/topic-url.ts';
export { type Submitted, submit } from './submit.ts';
export type { Tenant } from './tenant/make-tenant.ts';
export { watchOpenHandles } from './watch-open-handles.ts';
