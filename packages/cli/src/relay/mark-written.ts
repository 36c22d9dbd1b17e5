import type { Expert } from '@expert-relay/sdk/expert';
import type { Context } from '../context.ts';

/** A question and messages that were printed. */
export interface Printed {
  readonly requestId: string;
  readonly messages: readonly { readonly messageId?: string | undefined }[];
}

/**
 * Waits until everything is written to standard output, then notes that the question and these messages were shown. False when
 * it could not be written: then they were not shown.
 */
export async function markWritten(
  { out }: Context,
  expert: Pick<Expert, 'markShown'>,
  { requestId, messages }: Printed,
): Promise<boolean> {
  if (!(await out.written())) return false;
  await expert.markShown(
    requestId,
    messages.flatMap(({ messageId }) => messageId ?? []),
  );
  return true;
}
