import { useQueryClient } from '@tanstack/react-query';
import { Panel } from '../ui/panel.tsx';
import { addChannel, type ChannelSettings, keepChannel } from './channel-calls.ts';
import { type AddressField, ChannelForm } from './channel-form.tsx';

interface NewKind {
  readonly title: string;
  readonly address: AddressField;
  readonly settings: ChannelSettings;
  readonly done: string;
}

export const newKinds: Readonly<Record<'mail' | 'chat', NewKind>> = {
  mail: {
    title: 'Add a mail address',
    address: {
      label: 'Mail address',
      hint: 'A mail with a link is sent to it, to confirm that it is yours.',
      placeholder: 'you@example.com',
      type: 'email',
      mistake: 'Enter one mail address.',
    },
    settings: { label: null, delaySeconds: 300, showQuestion: false },
    done: 'A mail is on its way. Open the link in it.',
  },
  chat: {
    title: 'Add a chat',
    address: {
      label: 'Address of an incoming webhook',
      hint: 'Of Slack, Mattermost or Discord. Make it in the settings of the channel there. Who has it can post in that channel.',
      placeholder: 'https://hooks.slack.com/services/…',
      type: 'url',
      mistake: 'Enter the whole address, which begins with https://.',
    },
    settings: { label: null, delaySeconds: 900, showQuestion: false },
    done: 'The chat is added. Send a test to see it there.',
  },
};

interface AddChannelProps {
  readonly kind: 'mail' | 'chat';
  readonly onAdded: (done: string) => void;
  readonly onCancel: () => void;
}

export function AddChannel({ kind, onAdded, onCancel }: AddChannelProps) {
  const queries = useQueryClient();
  const { title, address, settings, done } = newKinds[kind];
  return (
    <Panel title={title}>
      <ChannelForm
        kind={kind}
        settings={settings}
        address={address}
        submit={['Add it', 'Adding…']}
        onSubmit={async (chosen, target) => {
          const channel = await addChannel(
            kind === 'mail' ? { kind, address: target, ...chosen } : { kind, url: target, ...chosen },
          );
          keepChannel(queries, channel);
          onAdded(done);
        }}
        onCancel={onCancel}
      />
    </Panel>
  );
}
