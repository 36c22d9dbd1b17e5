import type { NatsError } from 'nats';

/** From server/errors.json of NATS. */
const codes = {
  messageNotFound: 10037,
  messageTooLarge: 10054,
  streamNameInUse: 10058,
  streamNotFound: 10059,
} as const;

/** Whether JetStream refused a call with this error. */
export const isApiError = (error: unknown, name: keyof typeof codes): boolean =>
  (error as Partial<NatsError>).api_error?.err_code === codes[name];
