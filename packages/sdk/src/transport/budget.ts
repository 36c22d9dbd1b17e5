/** What the relay says of its rate limit with each answer: `"api";r=12;t=34`. */
export interface Budget {
  read(headers: Headers): void;
  /** How long to wait before a call that is only made to be sure: those that somebody waits for come first. */
  readonly restFor: number;
}

/** The share of a limit that is left to calls that somebody waits for. */
const reserve = 0.4;

export function createBudget(): Budget {
  let left = 1;
  let limit = 0;
  let until = 0;
  return {
    read(headers) {
      const [, rest, seconds] = /r=(\d+);t=(\d+)/.exec(headers.get('ratelimit') ?? '') ?? [];
      if (rest === undefined) return;
      left = Number(rest);
      limit = Number(/q=(\d+)/.exec(headers.get('ratelimit-policy') ?? '')?.[1] ?? 0);
      until = performance.now() + Number(seconds) * 1_000;
    },
    get restFor() {
      return left > limit * reserve ? 0 : Math.max(0, until - performance.now());
    },
  };
}
