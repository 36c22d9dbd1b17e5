import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Button } from '../ui/button.tsx';
import { Notice } from '../ui/notice.tsx';
import { Skeleton } from '../ui/skeleton.tsx';
import { describeError } from './action-error.tsx';

interface QueryViewProps<T> {
  readonly query: Pick<UseQueryResult<T>, 'data' | 'error' | 'isError' | 'isFetching'> & {
    refetch(): Promise<unknown>;
  };
  /** What could not be read, as the subject of a sentence: "Your keys". */
  readonly what: string;
  /** Widths of the placeholder lines while it is loading. */
  readonly lines: readonly string[];
  readonly children: (data: T) => ReactNode;
}

/** Shows the data of a query, a skeleton while it is loading, or the error with a retry button. */
export function QueryView<T>({ query, what, lines, children }: QueryViewProps<T>) {
  if (query.data !== undefined) return children(query.data);
  if (!query.isError) return <Skeleton lines={lines} />;
  return (
    <Notice
      kind="danger"
      title={`${what} could not be read.`}
      actions={
        <Button isBusy={query.isFetching} onClick={() => void query.refetch()}>
          Try again
        </Button>
      }
    >
      <p>{describeError(query.error)}</p>
    </Notice>
  );
}
