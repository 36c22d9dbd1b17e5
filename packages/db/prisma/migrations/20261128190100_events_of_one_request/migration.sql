-- Every event is about one user: about one of their requests, or a credential.
DELETE FROM "outbox_events" WHERE "user_id" IS NULL;
ALTER TABLE "outbox_events" DROP CONSTRAINT "outbox_events_about_check", ALTER COLUMN "user_id" SET NOT NULL;
