import { useEffect, useState } from 'react';
import { Link } from 'wouter';
import { SnoozePanel } from '../conversation/snooze-panel.tsx';
import { Confirmation } from '../relay/confirmation.tsx';
import { useAppContext } from '../session/app-context.tsx';
import { routes } from '../shell/routes.ts';
import { Button } from '../ui/button.tsx';
import { onEscape } from '../ui/escape.ts';
import { useStore } from '../ui/store.ts';
import {
  actOnRows,
  endRows,
  type NotDone,
  type RowAction,
  type Run,
  run,
  settleRows,
  snoozeRows,
  stopRun,
} from './act-on-rows.ts';
import { useInbox } from './inbox-context.tsx';
import type { Rows } from './rows.ts';
import styles from './selection-bar.module.css';

/** Below the list: how many rows are selected, what can be done with all, and what could not be done. */
export function SelectionBar() {
  const { inbox, selection } = useInbox();
  const { expert } = useAppContext();
  const selected = useStore(selection);
  const all = useStore(inbox.rows);
  const now = useStore(run);
  const [panel, setPanel] = useState<'snooze' | 'end'>();
  const rows = all.filter(({ requestId }) => selected?.ids.has(requestId));
  const isRunning = now !== undefined && now.left > 0;
  const isShown = selected !== undefined || isRunning || (now?.notDone.length ?? 0) > 0;
  useEffect(() => {
    setPanel((before) => (selected ? before : undefined));
    const last = run.get();
    // What was done is not of interest beside a new selection.
    if (selected && last?.left === 0 && last.notDone.length === 0) run.set(undefined);
  }, [selected]);

  const act = (action: RowAction, on: Rows) => void actOnRows(action, on, { inbox, selection, expert });
  const countOf = (action: RowAction) => rows.filter((row) => action.whyNot(row) === undefined).length;
  const toSnooze = countOf(snoozeRows(undefined));
  const toEnd = countOf(endRows);

  function buttons() {
    if (isRunning || panel || rows.length === 0) return null;
    return (
      <div className={styles.actions}>
        {countOf(settleRows) > 0 && (
          <Button className={styles.action} onClick={() => act(settleRows, rows)}>
            Nothing to answer
          </Button>
        )}
        {toSnooze > 0 && (
          <Button className={styles.action} onClick={() => setPanel('snooze')}>
            Snooze
          </Button>
        )}
        {toEnd > 0 && (
          <Button className={styles.action} onClick={() => setPanel('end')}>
            End request
          </Button>
        )}
        {toEnd === 0 && <p className={styles.quiet}>There is nothing to do with requests that have ended.</p>}
      </div>
    );
  }

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Escape works in its buttons.
    <div
      className={isShown ? styles.bar : undefined}
      {...(isShown && { role: 'group', 'aria-label': 'Selection' })}
      onKeyDown={panel && onEscape(() => setPanel(undefined))}
    >
      <div className={isShown ? styles.line : 'visually-hidden'}>
        <p role="status" className={styles.count}>
          {[now && describeRun(now), selected && describeCount(rows.length)].filter(Boolean).join(' ')}
        </p>
        {isRunning ? (
          <Button look="quiet" onClick={stopRun}>
            Stop
          </Button>
        ) : (
          isShown && (
            <Button
              look="quiet"
              onClick={() => {
                selection.set(undefined);
                run.set(undefined);
              }}
            >
              {selected ? 'Clear' : 'Close'}
            </Button>
          )
        )}
      </div>
      {buttons()}
      {panel === 'snooze' && (
        <SnoozePanel
          count={toSnooze}
          expiresAt={latestEnd(rows)}
          snooze={async (until) => act(snoozeRows(until), rows)}
          onDone={() => setPanel(undefined)}
        />
      )}
      {panel === 'end' && (
        <Confirmation
          isInner
          title={toEnd === 1 ? 'End this request?' : `End ${toEnd} requests?`}
          submit={[toEnd === 1 ? 'End it now' : `End all ${toEnd} now`, 'Ending…']}
          keep={toEnd === 1 ? 'Keep it open' : 'Keep them open'}
          onKeep={() => setPanel(undefined)}
          onConfirm={async () => {
            setPanel(undefined);
            act(endRows, rows);
          }}
        >
          {toEnd === 1 ? 'Its agent can send nothing more.' : 'Their agents can send nothing more.'}
        </Confirmation>
      )}
      {now && now.notDone.length > 0 && (
        <ul className={styles.notDone}>
          {now.notDone.map((one) => (
            <NotDoneRow
              key={one.row.requestId}
              notDone={one}
              // Another action would mix its results with those of the one that runs.
              mayTryAgain={one.hasFailed && !isRunning}
              onAgain={() => {
                const { requestId } = one.row;
                // What the row shows now.
                act(now.action, [all.find((row) => row.requestId === requestId) ?? one.row]);
              }}
            />
          ))}
        </ul>
      )}
    </div>
  );
}

interface NotDoneRowProps {
  readonly notDone: NotDone;
  readonly mayTryAgain: boolean;
  readonly onAgain: () => void;
}

function NotDoneRow({ notDone: { row, why }, mayTryAgain, onAgain }: NotDoneRowProps) {
  return (
    <li className={styles.line}>
      <span>
        <Link href={routes.request(row.requestId)}>{row.refCode}</Link> {why}
      </span>
      {mayTryAgain && (
        <Button look="quiet" aria-label={`Try again: ${row.refCode}`} onClick={onAgain}>
          Try again
        </Button>
      )}
    </li>
  );
}

const describeCount = (count: number): string => (count === 0 ? 'Nothing is selected.' : `${count} selected`);

function describeRun({ action: { words }, left, done, notDone }: Run): string {
  const at = done + notDone.length;
  if (left > 0) return `${words[0]} ${at + 1} of ${at + left}…`;
  return [done > 0 && `${done} ${words[1]}.`, notDone.length > 0 && `${notDone.length} not ${words[1]}.`]
    .filter(Boolean)
    .join(' ');
}

const latestEnd = (rows: Rows): string =>
  rows.map(({ expiresAt }) => expiresAt).reduce((one, other) => (one > other ? one : other), '');
