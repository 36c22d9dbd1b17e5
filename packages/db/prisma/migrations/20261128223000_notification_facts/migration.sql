DROP TABLE "notification_cursor";

CREATE TABLE "notification_facts" (
    "position" BIGSERIAL NOT NULL,
    "type" TEXT NOT NULL,
    "request_id" TEXT NOT NULL,
    "message_key" UUID,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "notification_facts_pkey" PRIMARY KEY ("position")
);

-- Rows are deleted within a second, so the table would mostly be dead rows.
ALTER TABLE "notification_facts" SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);

CREATE INDEX "notification_facts_request_id_idx" ON "notification_facts"("request_id");

ALTER TABLE "notification_facts" ADD CONSTRAINT "notification_facts_request_id_fkey" FOREIGN KEY ("request_id") REFERENCES "help_requests"("id") ON DELETE CASCADE ON UPDATE CASCADE;
