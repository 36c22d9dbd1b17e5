ALTER TABLE "notification_endpoints" ADD COLUMN "sent_at" TIMESTAMPTZ(6);

ALTER TABLE "notification_deliveries" ADD COLUMN "sent_with" TEXT;
