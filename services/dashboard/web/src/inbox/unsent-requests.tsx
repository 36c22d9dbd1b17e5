import { useEffect, useState } from 'react';
import { Link } from 'wouter';
import { useAppContext } from '../session/app-context.tsx';
import { routes } from '../shell/routes.ts';
import styles from '../shell/sign-out-question.module.css';
import type { Storage } from '../storage/storage.ts';
import { firstWords } from '../text/first-words.ts';
import { useStore } from '../ui/store.ts';
import { Written } from '../ui/written.tsx';
import { useInbox } from './inbox-context.tsx';

const maxNamed = 5;
const maxWords = 60;

/** What this browser stores that was not sent: answers that wait, drafts and files. */
const kinds = ['pending:', 'draft:', 'files:'];

async function requestsWithUnsent(storage: Storage): Promise<readonly string[]> {
  const names = await Promise.all(kinds.map((kind) => storage.names(kind)));
  return [...new Set(names.flat().map((name) => name.replace(/^\w+:/, '').replace(/\/form$/, '')))];
}

/** Names the requests whose texts a sign-out removes. */
export function UnsentRequests() {
  const { storage } = useAppContext();
  const rows = useStore(useInbox().inbox.rows);
  const [ids, setIds] = useState<readonly string[]>([]);
  useEffect(() => {
    void requestsWithUnsent(storage).then(setIds, () => {});
  }, [storage]);
  if (ids.length === 0) return null;
  const more = ids.length - maxNamed;
  return (
    <div>
      <p>What you have written for these requests is not sent:</p>
      <ul className={styles.names}>
        {ids.slice(0, maxNamed).map((id) => {
          const row = rows.find(({ requestId }) => requestId === id);
          return (
            <li key={id}>
              <Link href={routes.request(id)}>{row?.refCode ?? 'a request that is not in the list'}</Link>{' '}
              <bdi>
                <Written text={firstWords(row?.question ?? '', maxWords)} />
              </bdi>
            </li>
          );
        })}
        {more > 0 && <li>and {more} more</li>}
      </ul>
    </div>
  );
}
