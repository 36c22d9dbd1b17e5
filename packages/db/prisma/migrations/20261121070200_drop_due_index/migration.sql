-- Nothing needs it any more but a worker of the release before, which can do without it for as long as it still runs.
DROP INDEX IF EXISTS "help_requests_due_idx";
