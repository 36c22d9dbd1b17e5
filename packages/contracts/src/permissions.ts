import { subjectsFor } from './subjects.ts';

/** What a service may say and hear in NATS; it needs no more. */
export interface Permissions {
  readonly publish: readonly string[];
  readonly subscribe: readonly string[];
}

/** The services that talk to NATS. Any of requests and messages may lead the outbox, and so make the stream. */
export function permissionsFor(
  prefix: string,
): Readonly<Record<'gateway' | 'requests' | 'messages' | 'hub', Permissions>> {
  const { stream, allEvents, nudge, event } = subjectsFor(prefix);
  const answers = '_INBOX.>';
  const writer = {
    publish: [
      nudge,
      allEvents,
      ...['INFO', 'CREATE', 'UPDATE'].map((call) => `$JS.API.STREAM.${call}.${stream}`),
    ],
    // The acknowledgement of each published event is an answer too.
    subscribe: [nudge, answers],
  };
  return {
    gateway: { publish: [], subscribe: [event('credential_revoked')] },
    requests: writer,
    messages: writer,
    hub: {
      publish: [
        `$JS.API.STREAM.INFO.${stream}`,
        `$JS.API.STREAM.MSG.GET.${stream}`,
        `$JS.API.CONSUMER.CREATE.${stream}.>`,
        `$JS.API.CONSUMER.MSG.NEXT.${stream}.*`,
        `$JS.API.CONSUMER.DELETE.${stream}.*`,
      ],
      subscribe: [answers],
    },
  };
}
