/* Realistic requests for screenshots and for the tests of all pages. */

export interface SampleRequest {
  readonly agent: string;
  readonly question: string;
  readonly messages?: readonly { readonly role: string; readonly content: string }[];
  readonly tags?: readonly string[];
  /** The age of the request. */
  readonly hoursAgo: number;
}

export const migration = {
  agent: 'deploy agent',
  question: [
    'The migration `20261118_orders_index` has held a lock on `orders` for **14 minutes**. Checkout is slow since then.',
    '',
    'May I cancel it and build the index with `CONCURRENTLY` tonight?',
  ].join('\n'),
  messages: [
    { role: 'user', content: 'Roll release 4.12 out to production, one region at a time.' },
    {
      role: 'assistant',
      content:
        'eu-west-1 is done. In us-east-1 the migration waits for a long transaction of the report job.',
    },
    {
      role: 'tool',
      content: [
        '```sql',
        'SELECT pid, state, wait_event, now() - xact_start AS age',
        'FROM pg_stat_activity WHERE wait_event_type = $$Lock$$;',
        '',
        '  pid  | state  | wait_event | age',
        ' 18231 | active | relation   | 00:14:09',
        '```',
      ].join('\n'),
    },
    {
      role: 'assistant',
      content: 'If I cancel it, nothing is lost: the index is the only change in this migration.',
    },
  ],
  tags: ['production', 'us-east-1'],
  hoursAgo: 0.15,
} satisfies SampleRequest;

export const flakyTest = {
  agent: 'build agent',
  question:
    'The test `checkout › applies a voucher` fails in 1 of 20 runs on `main`. Should I skip it and open a ticket, or look for the cause first?',
  messages: [
    { role: 'user', content: 'Get the release branch green.' },
    {
      role: 'assistant',
      content: '1. It fails only when it runs after `cart.test.ts`.\n2. The clock is mocked in both.',
    },
  ],
  tags: ['release 4.12'],
  hoursAgo: 1.2,
} satisfies SampleRequest;

/** A request without encryption. */
export const refund = {
  agent: 'support triage',
  question:
    'A customer asks for a refund of 1,240 EUR, 34 days after the purchase. Our limit is 30 days. What do I answer?',
  messages: [
    {
      role: 'user',
      content: 'The device arrived damaged, and your hotline told me to wait for a replacement.',
    },
    { role: 'assistant', content: 'There is a note of that call: https://support.example.com/cases/48213' },
  ],
  tags: ['refunds'],
  hoursAgo: 61,
} satisfies SampleRequest;

export const dependency = {
  agent: 'dependency bot',
  question:
    '`image-size` 2.0 drops Node 18, which `apps/kiosk` still runs on. Update and raise the floor, or stay on 1.x and take the fix for CVE-2025-1302 by hand?',
  tags: ['security', 'kiosk'],
  hoursAgo: 5.4,
} satisfies SampleRequest;

/** More waiting requests, without encryption. */
export const others: readonly SampleRequest[] = [
  {
    agent: 'docs writer',
    question: 'The page on rate limits says 60 calls a minute, the code says 120. Which one is right?',
    hoursAgo: 9.1,
  },
  {
    agent: 'data pipeline',
    question: 'Yesterday’s import has 312 rows without a country. Drop them, or load them as `unknown`?',
    hoursAgo: 26,
  },
  {
    agent: 'on-call assistant',
    question: 'Disk of `log-3` is 91 % full. May I delete archives older than 90 days?',
    hoursAgo: 64.5,
  },
];

export const answered = {
  agent: 'on-call assistant',
  question:
    'The certificate of `api.example.com` ends in 6 days and the renewal was refused. May I switch it to DNS-01?',
  hoursAgo: 20,
} satisfies SampleRequest;

export const closed = {
  agent: 'data pipeline',
  question: 'Two columns are called `amount`. Which of them is the net amount?',
  hoursAgo: 47,
} satisfies SampleRequest;

export const restart = {
  agent: 'on-call assistant',
  question: 'May I restart `web-2`? It has served stale pages since 10:40.',
  messages: [{ role: 'assistant', content: 'The other five servers are fine. It takes 8 % of all calls.' }],
  hoursAgo: 0.4,
} satisfies SampleRequest;
