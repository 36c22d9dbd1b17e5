-- An event may be about many requests, of many users: its payload then names them. See
-- docs/adr/0009-one-event-for-many-requests.md.
ALTER TABLE "outbox_events" ALTER COLUMN "user_id" DROP NOT NULL;
ALTER TABLE "outbox_events"
    ADD CONSTRAINT "outbox_events_about_check"
    CHECK ("user_id" IS NOT NULL OR num_nonnulls("request_id", "ref_code") = 0) NOT VALID;
