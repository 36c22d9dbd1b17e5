import { Component, type ReactNode } from 'react';
import { Button } from '../ui/button.tsx';
import { Notice } from '../ui/notice.tsx';

/** Instead of a blank page, when the program fails. */
export class ErrorBoundary extends Component<{ children: ReactNode }, { hasFailed: boolean }> {
  override state = { hasFailed: false };

  static getDerivedStateFromError() {
    return { hasFailed: true };
  }

  override render() {
    if (!this.state.hasFailed) return this.props.children;
    return (
      <Notice
        kind="danger"
        title="This page has failed."
        actions={
          <Button look="main" onClick={() => location.reload()}>
            Load it again
          </Button>
        }
      >
        <p>What you typed is kept. If it fails again, tell the people who run this relay.</p>
      </Notice>
    );
  }
}
