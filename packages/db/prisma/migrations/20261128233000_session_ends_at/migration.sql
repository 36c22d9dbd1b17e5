ALTER TABLE "notification_endpoints" ADD COLUMN "session_ends_at" TIMESTAMPTZ(3);
