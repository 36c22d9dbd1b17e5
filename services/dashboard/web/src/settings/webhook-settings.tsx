import { useQuery } from '@tanstack/react-query';
import { webhooksQuery } from '../endpoints/endpoint-calls.ts';
import { WebhookList } from '../endpoints/webhook-list.tsx';
import { useDone } from '../ui/use-done.ts';
import { Section } from './section.tsx';

/** The webhooks of the user. Those of agents are beside their keys. */
export function WebhookSettings() {
  const { data } = useQuery(webhooksQuery);
  const [done, setDone] = useDone();
  if (data === null) return null;
  return (
    <Section
      title="Webhooks"
      about="Have a program of yours called when an agent asks or writes. Calls have ids and codes, no text. The webhooks of an agent are beside its key."
      done={done}
    >
      <WebhookList onDone={setDone} />
    </Section>
  );
}
