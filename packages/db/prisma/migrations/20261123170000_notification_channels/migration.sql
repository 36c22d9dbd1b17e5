ALTER TYPE "notification_channel" ADD VALUE 'push';
ALTER TYPE "notification_channel" ADD VALUE 'mail';
ALTER TYPE "notification_channel" ADD VALUE 'chat';

ALTER TABLE "notification_endpoints"
    ADD COLUMN "label" TEXT,
    ADD COLUMN "delay_seconds" INTEGER NOT NULL DEFAULT 0,
    ADD COLUMN "show_question" BOOLEAN NOT NULL DEFAULT false,
    ADD COLUMN "confirmed_at" TIMESTAMPTZ(3),
    ADD COLUMN "target_digest" BYTEA,
    ADD COLUMN "session_id" UUID;

CREATE TABLE "notification_settings" (
    "user_id" UUID NOT NULL,
    "paused_until" TIMESTAMPTZ(3),
    "quiet_from" TEXT,
    "quiet_to" TEXT,
    "time_zone" TEXT,

    CONSTRAINT "notification_settings_pkey" PRIMARY KEY ("user_id")
);

CREATE TABLE "notification_confirmations" (
    "id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "address_digest" BYTEA NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "notification_confirmations_pkey" PRIMARY KEY ("id")
);

CREATE UNIQUE INDEX "notification_endpoints_target_digest_key" ON "notification_endpoints"("target_digest");

CREATE INDEX "notification_endpoints_session_id_idx" ON "notification_endpoints"("session_id");

CREATE INDEX "notification_confirmations_address_digest_idx" ON "notification_confirmations"("address_digest");

CREATE INDEX "notification_confirmations_user_id_idx" ON "notification_confirmations"("user_id");

CREATE INDEX "notification_confirmations_created_at_idx" ON "notification_confirmations"("created_at");

ALTER TABLE "notification_settings" ADD CONSTRAINT "notification_settings_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

ALTER TABLE "notification_confirmations" ADD CONSTRAINT "notification_confirmations_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;
