import { NewSecret } from '../ui/new-secret.tsx';

interface WebhookSecretProps {
  readonly title: string;
  readonly isInner: boolean;
  readonly secret: string;
  readonly onClose: () => void;
}

/** Shows the new secret of a webhook once. */
export const WebhookSecret = (props: WebhookSecretProps) => (
  <NewSecret
    {...props}
    copyLabel="Copy the secret"
    about={
      <>
        With it the receiver checks that a call comes from this relay: use a library of Standard Webhooks,
        such as <code>standardwebhooks</code> for Node or Python.
      </>
    }
  />
);
