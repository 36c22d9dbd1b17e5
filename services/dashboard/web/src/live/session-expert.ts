import { createExpert, type Expert } from '@expert-relay/sdk/expert';

/** Until the SDK has it. */
export const createSessionExpert = createExpert as unknown as (options: object) => Expert;
