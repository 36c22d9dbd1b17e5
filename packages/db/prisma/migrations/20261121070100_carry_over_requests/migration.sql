-- The requests that were there before the triggers, while everybody goes on reading and writing. Whoever writes has
-- triggers by now: their lock has waited for those who had none. So no request is left out; but one that ends
-- meanwhile, unseen by this statement, is called open as well, until a sweep finds that row (`mendStages`).
INSERT INTO "request_stages" ("stage", "at", "request_id")
SELECT "stage_of"("ended_at", "erased_at"), COALESCE("ended_at", "expires_at"), "id" FROM "help_requests"
ORDER BY 1, 2
ON CONFLICT DO NOTHING;
ANALYZE "request_stages";
