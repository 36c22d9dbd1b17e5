import { Component, type ReactNode } from 'react';
import { Button } from '../ui/button.tsx';
import { Notice } from '../ui/notice.tsx';

interface ErrorBoundaryProps {
  /** The address of the page. A change clears the error. */
  readonly location: string;
  readonly children: ReactNode;
}

/** Shows a message instead of a blank page when rendering fails. */
export class ErrorBoundary extends Component<ErrorBoundaryProps, { hasFailed: boolean }> {
  override state = { hasFailed: false };

  static getDerivedStateFromError() {
    return { hasFailed: true };
  }

  override componentDidUpdate({ location }: ErrorBoundaryProps) {
    if (this.state.hasFailed && location !== this.props.location) this.setState({ hasFailed: false });
  }

  override render() {
    if (!this.state.hasFailed) return this.props.children;
    return (
      <Notice
        kind="danger"
        title="Something went wrong on this page."
        actions={
          <Button look="main" onClick={() => globalThis.location.reload()}>
            Reload the page
          </Button>
        }
      >
        <p>Texts that you have not sent are kept. If it happens again, tell the people who run this relay.</p>
      </Notice>
    );
  }
}
