import { gateway, gatewaySubmit } from './gateway.ts';
import { list } from './list.ts';
import { memory } from './memory.ts';
import type { Row } from './row.ts';
import { submit, submitThroughGateway } from './submit.ts';

export const rows: readonly Row[] = [gateway, gatewaySubmit, submit, submitThroughGateway, list, memory];
