ALTER TABLE "help_requests"
    ADD COLUMN "tags" TEXT[],
    ADD COLUMN "closed_by" "message_role",
    ADD COLUMN "close_reason" TEXT;
