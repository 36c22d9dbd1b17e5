import { createPostgres } from '@expert-relay/db';
import { createWriterService } from '@expert-relay/db/writer-service';
import type { Overrides, Service } from '@expert-relay/kit/lifecycle';
import type { Config } from './config.ts';
import { routes } from './routes/index.ts';

export const create = (config: Config, overrides: Overrides = {}): Service =>
  createWriterService({
    name: 'messages',
    config,
    overrides,
    connect: createPostgres,
    callers: { gateway: ['consumer', 'provider'], dashboard: ['session'] },
    routes: ({ database, wakeOutbox }) => routes({ query: database.query, wakeOutbox }),
  });
