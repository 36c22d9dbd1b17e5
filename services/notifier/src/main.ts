import { run } from '@expert-relay/kit/lifecycle';
import { readConfig } from './config.ts';
import { create } from './service.ts';

await run(readConfig, create);
