import { useQuery } from '@tanstack/react-query';
import { QueryView } from '../relay/query-view.tsx';
import { webhooksQuery } from './endpoint-calls.ts';
import { EndpointList } from './endpoint-list.tsx';

/** A consumer key can have so many webhooks: the `maxOfKey` of the notifier. A user has room for more. */
const maxOfKey = 3;

interface WebhookListProps {
  /** Of an agent's key; undefined: the webhooks of the user. */
  readonly keyId?: string;
  readonly onDone: (text: string) => void;
}

/** The webhooks of a key or of the user. */
export function WebhookList({ keyId, onDone }: WebhookListProps) {
  const query = useQuery(webhooksQuery);
  return (
    <QueryView query={query} what="The webhooks" lines={['60%', '40%']}>
      {(all) => {
        const own = (all ?? []).filter((webhook) => webhook.keyId === keyId);
        return (
          <EndpointList
            name="Webhooks"
            endpoints={own}
            kinds={keyId === undefined || own.length < maxOfKey ? ['webhook'] : []}
            {...(keyId !== undefined && { keyId })}
            onDone={onDone}
          />
        );
      }}
    </QueryView>
  );
}
