export type { Tenant } from './make-tenant.ts';
export {
  type Constellation,
  type ConstellationOptions,
  startConstellation,
  untilReady,
} from './start-constellation.ts';
