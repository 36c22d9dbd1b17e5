ALTER TABLE "help_requests"
    ADD COLUMN "agent_name" TEXT,
    ADD COLUMN "agent_versions" TEXT;
