import { dashboard } from './dashboard.ts';
import { encrypt } from './encrypt.ts';
import { expire } from './expire.ts';
import { expireLateness } from './expire-lateness.ts';
import { expireMillion } from './expire-million.ts';
import { gateway, gatewaySubmit } from './gateway.ts';
import { fanOut } from './hub/fan-out.ts';
import { hold } from './hub/hold.ts';
import { latency } from './hub/latency.ts';
import { resume } from './hub/resume.ts';
import { idle } from './idle.ts';
import { inbox } from './inbox.ts';
import { list } from './list.ts';
import { memory } from './memory.ts';
import { roundTrip } from './round-trip.ts';
import type { Row } from './row.ts';
import { submit, submitThroughGateway } from './submit.ts';

export const rows: readonly Row[] = [
  gateway,
  gatewaySubmit,
  submit,
  submitThroughGateway,
  list,
  inbox,
  encrypt,
  roundTrip,
  expire,
  fanOut,
  latency,
  hold,
  resume,
  memory,
  expireMillion,
  expireLateness,
  idle,
  dashboard,
];
