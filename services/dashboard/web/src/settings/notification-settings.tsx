import { useQuery } from '@tanstack/react-query';
import { ChannelList } from '../endpoints/channel-list.tsx';
import { notificationsQuery } from '../endpoints/endpoint-calls.ts';
import { ThisBrowser } from '../endpoints/this-browser.tsx';
import { QueryView } from '../relay/query-view.tsx';
import rows from '../ui/rows.module.css';
import { useDone } from '../ui/use-done.ts';
import { Section } from './section.tsx';

/** How the expert is reached: the channels, and when they are quiet. */
export function NotificationSettings() {
  const query = useQuery(notificationsQuery);
  const [done, setDone] = useDone();
  return (
    <Section
      title="Notifications"
      about="Choose how you hear about requests and follow-ups. A channel with a delay is used only if the request was not answered by then."
      done={done}
    >
      <QueryView query={query} what="Your channels" lines={['30%', '50%', '30%', '50%']}>
        {(state) =>
          state ? (
            <ChannelList state={state} onDone={setDone} />
          ) : (
            <ul className={rows.list}>
              <ThisBrowser pushKey={undefined} onDone={setDone} />
            </ul>
          )
        }
      </QueryView>
    </Section>
  );
}
