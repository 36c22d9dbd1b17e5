import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useRef, useState } from 'react';
import { Button } from '../ui/button.tsx';
import { Panel } from '../ui/panel.tsx';
import rows from '../ui/rows.module.css';
import { addEndpoint, type Endpoint, type EndpointKind, type EndpointSettings } from './endpoint-calls.ts';
import { EndpointForm, eventsOfKey, eventsOfUser } from './endpoint-form.tsx';
import { EndpointRow } from './endpoint-row.tsx';
import { WebhookSecret } from './webhook-secret.tsx';

type NewKind = Exclude<EndpointKind, 'push'>;

/** When a new one is called: the `defaultDelaySeconds` of the notifier, whose code this app does not import. */
const delays: Readonly<Record<NewKind, number>> = { email: 300, chat: 900, webhook: 0 };

const titles: Readonly<Record<NewKind, string>> = {
  email: 'Add an email address',
  chat: 'Add a chat',
  webhook: 'Add a webhook',
};

/** Said when one was added. A webhook's secret is shown instead. */
const done: Readonly<Record<NewKind, string>> = {
  email: 'We sent you an email. Open the link in it.',
  chat: 'The chat is added. Send a test to see it there.',
  webhook: '',
};

interface EndpointListProps {
  readonly name: string;
  readonly endpoints: readonly Endpoint[];
  /** The kinds that can be added. */
  readonly kinds: readonly NewKind[];
  /** Of an agent: its webhooks are listed. */
  readonly keyId?: string;
  /** The channel of this browser. */
  readonly own?: string | null;
  /** Rows before the others. */
  readonly children?: ReactNode;
  readonly onDone: (text: string) => void;
}

/** Endpoints, and a form for a new one. */
export function EndpointList(props: EndpointListProps) {
  const { name, endpoints, kinds, keyId, own, children, onDone } = props;
  const queries = useQueryClient();
  const [adding, setAdding] = useState<NewKind>();
  // The secret exists only in this state, and is gone when the panel closes.
  const [secret, setSecret] = useState<string>();
  const buttons = useRef<HTMLDivElement>(null);
  const isInner = keyId !== undefined;
  const events = isInner ? eventsOfKey : eventsOfUser;

  function close(text = '') {
    setAdding(undefined);
    setSecret(undefined);
    if (text) onDone(text);
    setTimeout(() => buttons.current?.querySelector('button')?.focus());
  }

  async function add(kind: NewKind, settings: EndpointSettings) {
    const made = await addEndpoint(queries, kind, settings, keyId);
    if (made) setSecret(made);
    else close(done[kind]);
  }

  return (
    <>
      {(children || endpoints.length > 0) && (
        <ul className={rows.list} aria-label={name}>
          {children}
          {endpoints.map((endpoint) => (
            <EndpointRow
              key={endpoint.id}
              endpoint={endpoint}
              isThisBrowser={endpoint.id === own}
              onDone={onDone}
              onRemoved={() => close('It is removed.')}
            />
          ))}
        </ul>
      )}
      {secret ? (
        <WebhookSecret
          isInner={isInner}
          title="The secret of the new webhook"
          secret={secret}
          onClose={() => close()}
        />
      ) : adding ? (
        <Panel isInner={isInner} title={titles[adding]}>
          <EndpointForm
            isNew
            kind={adding}
            events={events}
            settings={{
              address: '',
              label: null,
              delaySeconds: delays[adding],
              showQuestion: false,
              events: events.map(({ value }) => value),
            }}
            onSubmit={(settings) => add(adding, settings)}
            onCancel={() => close()}
          />
        </Panel>
      ) : (
        <div ref={buttons} className={rows.actions}>
          {kinds.map((kind) => (
            <Button key={kind} onClick={() => setAdding(kind)}>
              {titles[kind]}
            </Button>
          ))}
        </div>
      )}
    </>
  );
}
