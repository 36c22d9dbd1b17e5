UPDATE "help_requests" SET ("last_message_at", "last_message_role") = (
    SELECT "created_at", "role" FROM "messages" WHERE "request_id" = "help_requests"."id" ORDER BY "seq" DESC LIMIT 1)
WHERE "message_count" > 0 AND "last_message_at" IS NULL AND "erased_at" IS NULL;

UPDATE "request_stages" SET
    "user_id" = "help_requests"."user_id",
    "created_at" = "help_requests"."created_at",
    "progress" = "progress_of"("status", "response_count", "last_message_role")
FROM "help_requests"
WHERE "request_id" = "help_requests"."id" AND "request_stages"."user_id" IS NULL;
ANALYZE "request_stages";
