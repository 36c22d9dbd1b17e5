import { showHidden } from '@expert-relay/sdk/safe';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { useListHref } from '../shell/list-address.ts';
import { routes } from '../shell/routes.ts';
import { useStore } from '../ui/store.ts';
import { Time } from '../ui/time.tsx';
import { Written } from '../ui/written.tsx';
import styles from './facet-bar.module.css';
import { useInbox } from './inbox-context.tsx';
import { type Row, rowsOf } from './rows.ts';
import { type useFacetNames, useListing } from './use-listing.ts';

/** The agent and the tag to whose requests the list is limited, and what is known about this agent. */
export function FacetBar({ names }: { names: ReturnType<typeof useFacetNames> }) {
  const { keyId } = useListing().facets;
  const listHref = useListHref();
  const { agent, tag } = names;
  return (
    <>
      <ul className={styles.chips} aria-label="Limited to">
        {agent && <Chip kind="Agent" name={agent} href={listHref({ keyId: undefined })} />}
        {tag && <Chip kind="Tag" name={tag} href={listHref({ tag: undefined })} />}
      </ul>
      {keyId && <AgentFacts keyId={keyId} />}
    </>
  );
}

function Chip({ kind, name, href }: { kind: string; name: string; href: string }) {
  return (
    <li className={styles.item}>
      <Link href={href} className={styles.chip} title="Remove this filter">
        <span className="visually-hidden">Remove the filter: </span>
        <span className={styles.kind}>{kind}</span>{' '}
        <bdi className={styles.name}>
          <Written text={name} />
        </bdi>
        <svg viewBox="0 0 14 14" fill="none" stroke="currentColor" aria-hidden="true" focusable="false">
          <path d="m3 3 8 8M11 3 3 11" />
        </svg>
      </Link>
    </li>
  );
}

/** How the agent asked last, and its key. */
function AgentFacts({ keyId }: { keyId: string }) {
  const { inbox } = useInbox();
  // The list on the screen may be without its newest request.
  useInfiniteQuery(inbox.listQuery({ keyId }));
  const newest = rowsOf(useStore(inbox.rows), { keyId }, undefined).reduce<Row | undefined>(
    (found, row) => (found && found.createdAt > row.createdAt ? found : row),
    undefined,
  );
  return (
    <p className={styles.facts}>
      {newest?.agentName && newest.agentName !== newest.agent.name && (
        <>
          Calls itself{' '}
          <bdi>
            <Written text={showHidden(newest.agentName)} />
          </bdi>
          .{' '}
        </>
      )}
      {newest && (
        <>
          Last asked{' '}
          <span className={styles.time}>
            <Time at={newest.createdAt} details />,
          </span>{' '}
          {newest.encrypted ? 'encrypted' : 'not encrypted'}.{' '}
        </>
      )}
      <Link href={routes.key(keyId)}>Its key</Link>
    </p>
  );
}
