-- Open requests first and in a migration of their own: a message or an end of one of them waits for it. What changed
-- meanwhile is complete already, and is left alone.
UPDATE "help_requests" SET ("last_message_at", "last_message_role") = (
    SELECT "created_at", "role" FROM "messages" WHERE "request_id" = "help_requests"."id" ORDER BY "seq" DESC LIMIT 1)
FROM "request_stages"
WHERE "stage" = 'open' AND "request_id" = "help_requests"."id"
    AND "message_count" > 0 AND "last_message_at" IS NULL;

UPDATE "request_stages" SET
    "user_id" = "help_requests"."user_id",
    "created_at" = "help_requests"."created_at",
    "progress" = "progress_of"("status", "response_count", "last_message_role")
FROM "help_requests"
WHERE "stage" = 'open' AND "request_id" = "help_requests"."id" AND "request_stages"."user_id" IS NULL;
