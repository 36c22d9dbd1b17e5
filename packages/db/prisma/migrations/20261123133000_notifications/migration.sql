CREATE TYPE "notification_channel" AS ENUM ('webhook');

CREATE TYPE "delivery_state" AS ENUM ('waiting', 'sending', 'delivered', 'failed', 'cancelled');

CREATE TABLE "notification_endpoints" (
    "id" UUID NOT NULL,
    "owner_id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "api_key_id" UUID,
    "channel" "notification_channel" NOT NULL,
    "events" TEXT[],
    "sealed_key" TEXT NOT NULL,
    "sealed" BYTEA NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "enabled_at" TIMESTAMPTZ(3),
    "off_reason" TEXT,
    "failures" INTEGER NOT NULL DEFAULT 0,
    "failing_since" TIMESTAMPTZ(3),
    "last_ms" INTEGER,
    "next_due_at" TIMESTAMPTZ(6),

    CONSTRAINT "notification_endpoints_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "notification_deliveries" (
    "id" TEXT NOT NULL,
    "endpoint_id" UUID NOT NULL,
    "type" TEXT NOT NULL,
    "request_id" TEXT,
    "ref_code" TEXT,
    "message_id" TEXT,
    "event_at" TIMESTAMPTZ(3) NOT NULL,
    "state" "delivery_state" NOT NULL DEFAULT 'waiting',
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "due_at" TIMESTAMPTZ(6) NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "ended_at" TIMESTAMPTZ(3),
    "reason" TEXT,
    "status_code" INTEGER,
    "response" TEXT,
    "duration_ms" INTEGER,

    CONSTRAINT "notification_deliveries_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "notification_cursor" (
    "id" INTEGER NOT NULL,
    "holder" UUID NOT NULL,
    "held_until" TIMESTAMPTZ(3) NOT NULL,
    "epoch" TEXT,
    "seq" BIGINT,
    "event_id" TEXT,
    "recorded_at" TIMESTAMPTZ(3),

    CONSTRAINT "notification_cursor_pkey" PRIMARY KEY ("id")
);

CREATE INDEX "notification_endpoints_owner_id_idx" ON "notification_endpoints"("owner_id");

CREATE INDEX "notification_endpoints_user_id_idx" ON "notification_endpoints"("user_id");

CREATE INDEX "notification_endpoints_api_key_id_idx" ON "notification_endpoints"("api_key_id");

CREATE INDEX "notification_endpoints_next_due_at_idx" ON "notification_endpoints"("next_due_at");

CREATE INDEX "notification_deliveries_endpoint_id_created_at_id_idx" ON "notification_deliveries"("endpoint_id", "created_at", "id");

CREATE INDEX "notification_deliveries_due_idx" ON "notification_deliveries"("endpoint_id", "due_at") WHERE "state" IN ('waiting', 'sending');

CREATE INDEX "notification_deliveries_ended_idx" ON "notification_deliveries"("ended_at") WHERE "ended_at" IS NOT NULL;

ALTER TABLE "notification_endpoints" ADD CONSTRAINT "notification_endpoints_owner_id_fkey" FOREIGN KEY ("owner_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

ALTER TABLE "notification_endpoints" ADD CONSTRAINT "notification_endpoints_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

ALTER TABLE "notification_endpoints" ADD CONSTRAINT "notification_endpoints_api_key_id_fkey" FOREIGN KEY ("api_key_id") REFERENCES "api_keys"("id") ON DELETE CASCADE ON UPDATE CASCADE;

ALTER TABLE "notification_deliveries" ADD CONSTRAINT "notification_deliveries_endpoint_id_fkey" FOREIGN KEY ("endpoint_id") REFERENCES "notification_endpoints"("id") ON DELETE CASCADE ON UPDATE CASCADE;
