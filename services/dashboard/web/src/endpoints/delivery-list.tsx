import { showHidden } from '@expert-relay/sdk/safe';
import { infiniteQueryOptions, useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Deliveries, Delivery } from '../generated/api.ts';
import { ActionError } from '../relay/action-error.tsx';
import { call } from '../relay/call.ts';
import { QueryView } from '../relay/query-view.tsx';
import { Button } from '../ui/button.tsx';
import { locale } from '../ui/locale.ts';
import rows from '../ui/rows.module.css';
import { Time } from '../ui/time.tsx';
import { useAction } from '../ui/use-action.ts';
import styles from './delivery-list.module.css';
import { describeReason, eventNames, stateNames } from './delivery-sentences.ts';

const pageSize = 10;
const readAgainMs = 2_000;
/** After this time without a change, the list is not read any more: a receiver may be down for hours. */
const followMs = 30_000;

/** The deliveries below a path such as `/api/webhooks/{id}`, the newest first. */
const deliveriesQuery = (path: string) =>
  infiniteQueryOptions({
    queryKey: ['deliveries', path],
    staleTime: 0,
    initialPageParam: '',
    queryFn: async ({ pageParam, signal }) => {
      const after = pageParam && `&after=${encodeURIComponent(pageParam)}`;
      return (await call<Deliveries>(`${path}/deliveries?limit=${pageSize}${after}`, { signal })).body;
    },
    getNextPageParam: ({ next }) => next,
  });

const isMoving = ({ state, attempts }: Delivery): boolean =>
  state === 'sending' || (state === 'waiting' && attempts === 0);

interface DeliveryListProps {
  /** Of the endpoint, such as `/api/webhooks/{id}`. */
  readonly path: string;
  /** All that are not being sent can be sent again, now: their attempts begin again. */
  readonly canResend?: boolean;
}

/** The deliveries that have not ended, or ended in the last seven days. It follows those that are under way. */
export function DeliveryList({ path, canResend = false }: DeliveryListProps) {
  const [followUntil, setFollowUntil] = useState(() => Date.now() + followMs);
  const query = useInfiniteQuery({
    ...deliveriesQuery(path),
    refetchInterval: ({ state }) => {
      const moves = state.data?.pages.length === 1 && state.data.pages[0]?.deliveries.some(isMoving);
      return moves && Date.now() < followUntil && readAgainMs;
    },
  });

  async function resend(id: string): Promise<void> {
    await call(`${path}/deliveries/${encodeURIComponent(id)}/resend`, { method: 'POST' });
    setFollowUntil(Date.now() + followMs);
    await query.refetch();
  }

  return (
    <QueryView query={query} what="The deliveries" lines={['40%', '70%', '40%']}>
      {({ pages }) => {
        const deliveries = pages.flatMap((page) => page.deliveries);
        if (deliveries.length === 0)
          return <p className={rows.quiet}>Nothing was sent in the last seven days.</p>;
        return (
          <>
            <ul className={rows.list} aria-label="Deliveries of the last seven days">
              {deliveries.map((delivery) => (
                <DeliveryRow
                  key={delivery.id}
                  delivery={delivery}
                  onAgain={canResend ? () => resend(delivery.id) : undefined}
                />
              ))}
            </ul>
            {query.hasNextPage && (
              <div>
                <Button isBusy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
                  Show earlier ones
                </Button>
              </div>
            )}
          </>
        );
      }}
    </QueryView>
  );
}

const looks = { waiting: '', sending: '', delivered: rows.ok, failed: rows.bad, cancelled: '' };

interface DeliveryRowProps {
  readonly delivery: Delivery;
  readonly onAgain: (() => Promise<void>) | undefined;
}

function DeliveryRow({ delivery, onAgain }: DeliveryRowProps) {
  const { type, refCode, state, attempts, createdAt, nextAttemptAt, statusCode, durationMs, response } =
    delivery;
  const sending = useAction(async () => await onAgain?.());
  const name = eventNames[type] ?? type;
  const reason = describeReason(delivery);
  const isRetried = state === 'waiting' && attempts > 0;
  return (
    <li className={rows.row}>
      <div className={rows.line}>
        <div className={rows.facts}>
          <span className={rows.name}>
            <span className={isRetried ? rows.warn : looks[state]}>
              {isRetried ? 'Failed, will be repeated' : stateNames[state]}
            </span>
            <span className={rows.label}>{name}</span>
            {refCode && <code className={rows.label}>{refCode}</code>}
          </span>
          <span className={rows.detail}>
            <Time at={createdAt} details />
            {statusCode !== undefined && <span>status {statusCode}</span>}
            {durationMs !== undefined && <span>{durationMs.toLocaleString(locale)} ms</span>}
            {attempts > 1 && <span>{attempts} attempts</span>}
            {state === 'waiting' && nextAttemptAt && (
              <span>
                {isRetried ? 'next' : 'at'} <FutureTime at={nextAttemptAt} />
              </span>
            )}
          </span>
        </div>
        {onAgain && state !== 'sending' && (
          <Button
            look="quiet"
            isBusy={sending.isBusy}
            aria-label={`Send again: ${name}${refCode ? ` ${refCode}` : ''}`}
            onClick={() => void sending.run()}
          >
            {sending.isBusy ? 'Sending…' : 'Send again'}
          </Button>
        )}
      </div>
      {reason && state !== 'delivered' && <p>{reason}</p>}
      {response && (
        <pre className={styles.response}>
          <code>{showHidden(response)}</code>
        </pre>
      )}
      <ActionError error={sending.error} />
    </li>
  );
}

const soon = new Intl.DateTimeFormat(locale, { timeStyle: 'short' });
const later = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' });
const dayMs = 24 * 3_600_000;

function FutureTime({ at }: { at: string }) {
  const time = Date.parse(at);
  return <time dateTime={at}>{(time - Date.now() < dayMs ? soon : later).format(time)}</time>;
}
