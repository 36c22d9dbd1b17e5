import { read } from '@expert-relay/kit/config';
import { expect, test } from '@jest/globals';
import { variables } from '../config.ts';
import { bodyMs, defaultDeadlineMs } from '../outbound/post.ts';
import { emailLimits } from '../senders/send-email.ts';
import { leaseSeconds } from './claimed-columns.ts';
import { recordMs } from './deliverer.ts';

const attempts = { email: emailLimits.deadlineMs, post: defaultDeadlineMs + bodyMs };
/** For the statement that records the result. */
const statementMs = 3_000;

test.each(Object.entries(attempts))(
  '%s: an attempt and the recording of its result end before the lease',
  (_, ms) => {
    expect(ms + recordMs + statementMs).toBeLessThanOrEqual(leaseSeconds * 1_000);
  },
);

test.each(Object.entries(attempts))(
  '%s: a stopping process can end an attempt and record its result',
  (_, ms) => {
    const { shutdownLimit, shutdownPause } = read(variables.process, {});
    expect(ms + statementMs).toBeLessThanOrEqual(shutdownLimit - shutdownPause);
  },
);
