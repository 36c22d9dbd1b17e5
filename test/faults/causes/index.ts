import type { Fault } from './fault.ts';
import { hubKilled, hubKilledUnderMany, restlessReader, silentReaders } from './hub.ts';
import { natsDownAtExpiry, natsFrozen, natsFrozenLong, natsKilled } from './nats.ts';
import { networkCut, networkSilent } from './network.ts';
import { leaderCutOff, leaderFrozen, leaderKilled } from './outbox.ts';
import { postgresCut, postgresKilled } from './postgres.ts';
import { redisFlushed, redisFlushedUnderMany, redisKilled, schedulerDeleted } from './redis.ts';
import { deployed, gatewayKilled, messagesKilled, requestsKilled } from './services.ts';
import { threeWorkersRace, workerClockWrong, workerKilled, workersOff } from './workers.ts';

/** Every fault that a seed can draw. A seed's first one is its turn in this list. */
export const faults: readonly Fault[] = [
  leaderKilled,
  hubKilled,
  natsKilled,
  workersOff,
  networkCut,
  redisFlushed,
  postgresKilled,
  threeWorkersRace,
  natsFrozen,
  gatewayKilled,
  workerClockWrong,
  networkSilent,
  hubKilledUnderMany,
  redisKilled,
  leaderCutOff,
  workerKilled,
  restlessReader,
  requestsKilled,
  natsDownAtExpiry,
  postgresCut,
  schedulerDeleted,
  silentReaders,
  redisFlushedUnderMany,
  messagesKilled,
  leaderFrozen,
  deployed,
  natsFrozenLong,
];
