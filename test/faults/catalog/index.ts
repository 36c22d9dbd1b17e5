import type { Fault } from './fault.ts';
import { hubKilled, hubKilledUnderMany, reconnectingReader, silentReaders } from './hub.ts';
import { natsDownAtExpiry, natsFrozen, natsFrozenLong, natsKilled } from './nats.ts';
import { networkCut, networkSilent } from './network.ts';
import { notifierFrozen, notifierKilled, receiverFrozen, receiverKilled } from './notifier.ts';
import { leaderCutOff, leaderFrozen, leaderKilled } from './outbox.ts';
import { postgresCut, postgresKilled } from './postgres.ts';
import { redisFlushed, redisFlushedUnderMany, redisKilled, schedulerDeleted } from './redis.ts';
import { gatewayKilled, messagesKilled, redeployed, requestsKilled } from './services.ts';
import { threeWorkersRace, workerClockWrong, workerKilled, workersOff } from './workers.ts';

/** All faults. The first fault of each seed is the next one in this list. */
export const faults: readonly Fault[] = [
  leaderKilled,
  hubKilled,
  natsKilled,
  workersOff,
  notifierKilled,
  networkCut,
  redisFlushed,
  postgresKilled,
  threeWorkersRace,
  natsFrozen,
  receiverFrozen,
  gatewayKilled,
  workerClockWrong,
  networkSilent,
  hubKilledUnderMany,
  redisKilled,
  leaderCutOff,
  workerKilled,
  reconnectingReader,
  requestsKilled,
  notifierFrozen,
  natsDownAtExpiry,
  postgresCut,
  schedulerDeleted,
  silentReaders,
  redisFlushedUnderMany,
  messagesKilled,
  receiverKilled,
  leaderFrozen,
  redeployed,
  natsFrozenLong,
];
