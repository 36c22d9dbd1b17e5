-- Partial, so that building it is one look at each row: none of them has a user yet.
CREATE INDEX "request_stages_inbox_idx"
    ON "request_stages" ("user_id", "stage", "progress", "created_at", "request_id", "at")
    WHERE "user_id" IS NOT NULL;
