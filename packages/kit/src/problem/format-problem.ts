import type { Problem } from './problem.ts';

export interface FormattedProblem {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | number>>;
  readonly body: string;
}

/** A problem as it stands on the wire, whatever way it is written there. */
export function formatProblem(problem: Problem): FormattedProblem {
  const body = JSON.stringify(problem);
  return {
    status: problem.status,
    headers: {
      'cache-control': 'no-store',
      ...problem.headers,
      'content-type': 'application/problem+json',
      'content-length': Buffer.byteLength(body),
    },
    body,
  };
}
