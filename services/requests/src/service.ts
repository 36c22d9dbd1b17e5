import { createDatabase } from '@expert-relay/db/prisma';
import { createWriterService } from '@expert-relay/db/writer-service';
import { systemClock } from '@expert-relay/kit/clock';
import type { Overrides, Service } from '@expert-relay/kit/lifecycle';
import type { Config } from './config.ts';
import { routes } from './routes/index.ts';
import { createStreamTokenSigner } from './stream-tokens/sign-stream-token.ts';

export function create(config: Config, overrides: Overrides = {}): Service {
  const { conversationTtl, streamTokenKey: privateKey } = config;
  const { clock = systemClock } = overrides;
  const signStreamToken = createStreamTokenSigner({ privateKey, clock });
  return createWriterService({
    name: 'requests',
    config,
    overrides,
    connect: createDatabase,
    callers: {
      gateway: ['consumer', 'provider', 'nobody'],
      dashboard: ['session', 'signin'],
      hub: ['hub'],
    },
    routes: ({ database: { prisma, query }, wakeOutbox, noteKeyUse, log }) =>
      routes({ prisma, query, wakeOutbox, noteKeyUse, log, signStreamToken, conversationTtl }),
  });
}
