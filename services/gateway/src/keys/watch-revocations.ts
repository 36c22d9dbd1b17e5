import { EventHead, subjectsFor } from '@expert-relay/contracts';
import type { Part } from '@expert-relay/kit/lifecycle';
import type { Log } from '@expert-relay/kit/log';
import type { Nats } from '@expert-relay/kit/nats';

/** Receives the events of revoked and rotated keys. After a missed event, the key works until its entry is too old. */
export function watchRevocations(options: {
  nats: Nats;
  prefix: string;
  onRevoked: (apiKeyId: string) => void;
  log: Log;
}): Part {
  const { nats, prefix, onRevoked, log } = options;

  function handle(data: Uint8Array): void {
    try {
      const body = new EventHead(data).readBody();
      if (body.case !== 'credentialRevoked' || body.value.credential.case !== 'apiKeyId') return;
      onRevoked(body.value.credential.value);
    } catch (error) {
      log.warn({ err: error }, 'a revocation could not be read: the key works for up to 5 s more');
    }
  }

  return {
    name: 'revocation watch',
    async start() {
      nats.onConnection((connection) => {
        connection.subscribe(subjectsFor(prefix).event('credential_revoked'), {
          callback(error, message) {
            if (error) log.warn({ reason: error.message }, 'revocations cannot be received over NATS');
            else handle(message.data);
          },
        });
      });
    },
  };
}
