import { useAppContext } from '../session/app-context.tsx';
import { Button } from '../ui/button.tsx';
import { Notice } from '../ui/notice.tsx';
import { useStore } from '../ui/store.ts';
import { useAction } from '../ui/use-action.ts';

const titles = {
  key: 'Your encryption key was replaced, and not in this browser.',
  code: 'Your recovery code was replaced, and not in this browser.',
};

/** Tells the owner that another device or program has changed the vault, since it might not have been the owner. */
export function VaultNotice() {
  const { expertKey } = useAppContext();
  const change = useStore(expertKey.change);
  const accepting = useAction(expertKey.acceptChange);
  if (!change) return null;
  return (
    <Notice
      kind="warning"
      title={titles[change]}
      actions={
        <Button isBusy={accepting.isBusy} onClick={() => void accepting.run()}>
          It was me
        </Button>
      }
    >
      <p>
        If it was not you, someone has a session or a key of yours: end the other sessions in Settings, revoke
        the keys of scripts in Agent keys, then make a new key in Settings.
      </p>
    </Notice>
  );
}
