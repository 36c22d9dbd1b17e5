export { createOpsServer, type OpsServer } from './create-ops-server.ts';
