import { decodeEvent, subjectsFor } from '@expert-relay/contracts';
import type { Part } from '@expert-relay/kit/lifecycle';
import type { Log } from '@expert-relay/kit/log';
import type { Nats } from '@expert-relay/kit/nats';

/**
 * Hears of revoked keys as they are told to everybody. Missing one, or NATS being away, costs no more
 * than the few seconds that a look-up is remembered for.
 */
export function createRevocationWatch(options: {
  nats: Nats;
  prefix: string;
  onRevoked: (apiKeyId: string) => void;
  log: Log;
}): Part {
  const { nats, prefix, onRevoked, log } = options;

  function hear(data: Uint8Array): void {
    try {
      const { event } = decodeEvent(data);
      if (event.case !== 'credentialRevoked' || event.value.credential.case !== 'apiKeyId') return;
      onRevoked(event.value.credential.value);
    } catch (error) {
      log.warn(
        { err: error },
        'a revocation could not be read: look-ups stay remembered for their few seconds',
      );
    }
  }

  return {
    name: 'revocation watch',
    async start() {
      nats.onConnection((connection) => {
        connection.subscribe(subjectsFor(prefix).event('credential_revoked'), {
          callback(error, message) {
            if (error) log.warn({ reason: error.message }, 'revocations cannot be heard over NATS');
            else hear(message.data);
          },
        });
      });
    },
  };
}
