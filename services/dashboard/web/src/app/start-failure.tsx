import { CallError } from '../session/call.ts';
import { signInAgain } from '../session/me.ts';
import { Button } from '../ui/button.tsx';
import { Notice } from '../ui/notice.tsx';

/** When the page cannot even find out who is signed in. */
export function StartFailure({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  if (error instanceof CallError && error.status === 401) {
    signInAgain();
    return null;
  }
  const detail = error instanceof CallError ? error.message : 'This browser may be too old for this page.';
  return (
    <Notice
      kind="danger"
      title="Expert Relay cannot be opened right now."
      actions={
        <Button look="main" onClick={onRetry}>
          Try again
        </Button>
      }
    >
      <p>{detail}</p>
    </Notice>
  );
}
