import {
  ConfigError,
  conversationTtlVariable,
  databaseVariables,
  duration,
  processVariables,
  read,
  redisVariables,
  text,
  type Values,
} from '@expert-relay/kit/config';
import { purgeHoursPattern } from './retention/purge.ts';

export const variables = {
  process: processVariables,
  database: databaseVariables,
  redis: redisVariables,
  conversationTtl: conversationTtlVariable,
  retention: {
    content: duration('RELAY_RETENTION', {
      help:
        'How long the content of an ended conversation is kept: messages, question, context and public keys. ' +
        'Also how long the digest of a secret that no longer works is kept.',
      default: '30d',
    }),
    metadata: duration('RELAY_METADATA_RETENTION', {
      help: 'How long the rest of a request (ids, times, status, counts) is kept after its end; at least RELAY_RETENTION, and with an idempotency key until a day after its `expiresAt`. Also revoked keys.',
      default: '365d',
    }),
    interval: duration('RELAY_PURGE_INTERVAL', {
      help: 'How often data is removed whose retention is over.',
      default: '1h',
      min: '1s',
    }),
    hours: text('RELAY_PURGE_HOURS', {
      help: 'The hours of the day, in UTC, at which expired data may be removed: 22-6 is from 22:00 until 6:00.',
      default: '0-24',
      pattern: purgeHoursPattern,
      expected: 'two hours from 0 to 24 such as 22-6',
    }),
  },
};

export type Config = Values<typeof variables>;

export function readConfig(env: NodeJS.ProcessEnv = process.env): Config {
  const config = read(variables, env);
  if (config.retention.metadata < config.retention.content) {
    throw new ConfigError([
      'RELAY_METADATA_RETENTION is shorter than RELAY_RETENTION. Make it at least as long: content is never kept longer than its request.',
    ]);
  }
  return config;
}
