-- Made from schema.prisma by Prisma's engine, then finished by hand: the predicates of the partial
-- indexes, and everything below "By hand".

-- CreateEnum
CREATE TYPE "key_kind" AS ENUM ('consumer', 'provider');

-- CreateEnum
CREATE TYPE "request_status" AS ENUM ('pending', 'responded', 'closed', 'expired');

-- CreateEnum
CREATE TYPE "request_stage" AS ENUM ('open', 'ended', 'erased');

-- CreateEnum
CREATE TYPE "request_progress" AS ENUM ('unanswered', 'follow_up', 'answered', 'closed');

-- CreateEnum
CREATE TYPE "form_kind" AS ENUM ('approval', 'form');

-- CreateEnum
CREATE TYPE "message_role" AS ENUM ('consumer', 'provider');

-- CreateEnum
CREATE TYPE "sealed_name" AS ENUM ('vault', 'saved_replies');

-- CreateEnum
CREATE TYPE "notification_channel" AS ENUM ('webhook', 'push', 'email', 'chat');

-- CreateEnum
CREATE TYPE "delivery_state" AS ENUM ('waiting', 'sending', 'delivered', 'failed', 'cancelled');

-- CreateTable
CREATE TABLE "users" (
    "id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "name" TEXT NOT NULL,
    "email" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "sessions_ended_at" TIMESTAMPTZ(3),

    CONSTRAINT "users_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "identities" (
    "provider" TEXT NOT NULL,
    "subject" TEXT NOT NULL,
    "user_id" UUID NOT NULL,
    "label" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "identities_pkey" PRIMARY KEY ("provider","subject")
);

-- CreateTable
CREATE TABLE "sign_in_links" (
    "id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "token_digest" BYTEA NOT NULL,
    "user_id" UUID NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "used_at" TIMESTAMPTZ(3),
    "used_call_id" UUID,

    CONSTRAINT "sign_in_links_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "api_keys" (
    "id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "user_id" UUID NOT NULL,
    "kind" "key_kind" NOT NULL,
    "name" TEXT NOT NULL,
    "last_four" TEXT NOT NULL,
    "call_id" UUID NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "last_used_at" TIMESTAMPTZ(3),
    "revoked_at" TIMESTAMPTZ(3),

    CONSTRAINT "api_keys_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "api_key_secrets" (
    "secret_digest" BYTEA NOT NULL,
    "api_key_id" UUID NOT NULL,
    "call_id" UUID NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3),

    CONSTRAINT "api_key_secrets_pkey" PRIMARY KEY ("secret_digest")
);

-- CreateTable
CREATE TABLE "help_requests" (
    "id" TEXT NOT NULL,
    "ref_code" TEXT NOT NULL,
    "user_id" UUID NOT NULL,
    "consumer_key_id" UUID NOT NULL,
    "status" "request_status" NOT NULL DEFAULT 'pending',
    "seq" INTEGER NOT NULL DEFAULT 1,
    "response_count" INTEGER NOT NULL DEFAULT 0,
    "message_count" INTEGER NOT NULL DEFAULT 0,
    "content_bytes" INTEGER NOT NULL DEFAULT 0,
    "last_message_at" TIMESTAMPTZ(3),
    "turn" "message_role" NOT NULL DEFAULT 'provider',
    "snoozed_until" TIMESTAMPTZ(3),
    "question" TEXT,
    "plaintext" TEXT,
    "context" JSON NOT NULL,
    "agent_name" TEXT,
    "agent_versions" TEXT,
    "answer_form" TEXT,
    "form_kind" "form_kind",
    "tags" TEXT[],
    "follows" JSON,
    "consumer_sign_pub_key" TEXT,
    "consumer_encrypt_pub_key" TEXT,
    "provider_sign_pub_key" TEXT,
    "provider_encrypt_pub_key" TEXT,
    "key_signature" TEXT,
    "call_id" UUID NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "ended_at" TIMESTAMPTZ(3),
    "closed_by" "message_role",
    "close_reason" TEXT,
    "erased_at" TIMESTAMPTZ(3),

    CONSTRAINT "help_requests_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "request_stages" (
    "stage" "request_stage" NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "request_id" TEXT NOT NULL,
    "user_id" UUID NOT NULL,
    "active_at" TIMESTAMPTZ(3) NOT NULL,
    "progress" "request_progress" NOT NULL,

    CONSTRAINT "request_stages_pkey" PRIMARY KEY ("stage","at","request_id")
);

-- CreateTable
CREATE TABLE "messages" (
    "request_id" TEXT NOT NULL,
    "seq" INTEGER NOT NULL,
    "role" "message_role" NOT NULL,
    "message_id" TEXT NOT NULL,
    "message_key" UUID NOT NULL,
    "iv" TEXT,
    "ciphertext" TEXT,
    "tag" TEXT,
    "ephemeral_public_key" TEXT,
    "signature" TEXT,
    "plaintext" TEXT,
    "answer" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "messages_pkey" PRIMARY KEY ("request_id","seq")
);

-- CreateTable
CREATE TABLE "outbox_events" (
    "id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "position" BIGSERIAL NOT NULL,
    "user_id" UUID NOT NULL,
    "request_id" TEXT,
    "ref_code" TEXT,
    "seq" INTEGER NOT NULL DEFAULT 0,
    "type" TEXT NOT NULL,
    "payload" BYTEA NOT NULL,
    "recorded_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "published_at" TIMESTAMPTZ(3),
    "stream_seq" BIGINT,
    "stream_created_at" TEXT,
    "failed_at" TIMESTAMPTZ(3),

    CONSTRAINT "outbox_events_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "idempotency_records" (
    "api_key_id" UUID NOT NULL,
    "key_digest" BYTEA NOT NULL,
    "body_digest" BYTEA NOT NULL,
    "request_id" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "idempotency_records_pkey" PRIMARY KEY ("api_key_id","key_digest")
);

-- CreateTable
CREATE TABLE "sealed_values" (
    "user_id" UUID NOT NULL,
    "name" "sealed_name" NOT NULL,
    "value" TEXT NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "sealed_values_pkey" PRIMARY KEY ("user_id","name")
);

-- CreateTable
CREATE TABLE "notification_endpoints" (
    "id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "api_key_id" UUID,
    "channel" "notification_channel" NOT NULL,
    "events" TEXT[],
    "label" TEXT,
    "delay_seconds" INTEGER NOT NULL DEFAULT 0,
    "show_question" BOOLEAN NOT NULL DEFAULT false,
    "confirmed_at" TIMESTAMPTZ(3),
    "target_digest" BYTEA,
    "session_id" UUID,
    "session_ends_at" TIMESTAMPTZ(3),
    "sealing_key_id" TEXT NOT NULL,
    "sealed" BYTEA NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "enabled_at" TIMESTAMPTZ(3),
    "off_reason" TEXT,
    "failures" INTEGER NOT NULL DEFAULT 0,
    "failing_since" TIMESTAMPTZ(3),
    "last_ms" INTEGER,
    "next_due_at" TIMESTAMPTZ(6),
    "sent_at" TIMESTAMPTZ(6),

    CONSTRAINT "notification_endpoints_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "notification_settings" (
    "user_id" UUID NOT NULL,
    "paused_until" TIMESTAMPTZ(3),
    "quiet_from" TEXT,
    "quiet_to" TEXT,
    "time_zone" TEXT,

    CONSTRAINT "notification_settings_pkey" PRIMARY KEY ("user_id")
);

-- CreateTable
CREATE TABLE "notification_confirmations" (
    "id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "address_digest" BYTEA NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "notification_confirmations_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "notification_stop_links" (
    "token_digest" BYTEA NOT NULL,
    "address_digest" BYTEA NOT NULL,
    "sent_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "used_at" TIMESTAMPTZ(3),

    CONSTRAINT "notification_stop_links_pkey" PRIMARY KEY ("token_digest")
);

-- CreateTable
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
    "sent_with" TEXT,

    CONSTRAINT "notification_deliveries_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "notification_facts" (
    "position" BIGSERIAL NOT NULL,
    "type" TEXT NOT NULL,
    "request_id" TEXT NOT NULL,
    "message_key" UUID,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "notification_facts_pkey" PRIMARY KEY ("position")
);

-- CreateIndex
CREATE INDEX "identities_user_id_idx" ON "identities"("user_id");

-- CreateIndex
CREATE UNIQUE INDEX "sign_in_links_token_digest_key" ON "sign_in_links"("token_digest");

-- CreateIndex
CREATE INDEX "sign_in_links_user_id_idx" ON "sign_in_links"("user_id");

-- CreateIndex
CREATE UNIQUE INDEX "api_keys_call_id_key" ON "api_keys"("call_id");

-- CreateIndex
CREATE INDEX "api_keys_user_id_created_at_idx" ON "api_keys"("user_id", "created_at");

-- CreateIndex
CREATE UNIQUE INDEX "api_key_secrets_call_id_key" ON "api_key_secrets"("call_id");

-- CreateIndex
CREATE INDEX "api_key_secrets_api_key_id_idx" ON "api_key_secrets"("api_key_id");

-- CreateIndex
CREATE UNIQUE INDEX "help_requests_ref_code_key" ON "help_requests"("ref_code");

-- CreateIndex
CREATE UNIQUE INDEX "help_requests_call_id_key" ON "help_requests"("call_id");

-- CreateIndex
CREATE INDEX "help_requests_user_id_created_at_id_idx" ON "help_requests"("user_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "help_requests_snoozed_idx" ON "help_requests"("user_id")
    WHERE "snoozed_until" IS NOT NULL;

-- CreateIndex
CREATE INDEX "help_requests_consumer_key_id_created_at_id_idx" ON "help_requests"("consumer_key_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "request_stages_inbox_idx" ON "request_stages"("user_id", "stage", "progress", "active_at", "request_id", "at");

-- CreateIndex
CREATE UNIQUE INDEX "messages_request_id_message_key_key" ON "messages"("request_id", "message_key");

-- CreateIndex
CREATE INDEX "outbox_events_waiting_idx" ON "outbox_events"("position")
    WHERE "published_at" IS NULL AND "failed_at" IS NULL;

-- CreateIndex
CREATE INDEX "outbox_events_published_idx" ON "outbox_events"("published_at")
    WHERE "published_at" IS NOT NULL;

-- CreateIndex
CREATE INDEX "outbox_events_failed_idx" ON "outbox_events"("failed_at")
    WHERE "failed_at" IS NOT NULL;

-- CreateIndex
CREATE INDEX "outbox_events_revocations_idx" ON "outbox_events"("position")
    WHERE "type" = 'credential_revoked';

-- CreateIndex
CREATE INDEX "idempotency_records_created_at_idx" ON "idempotency_records"("created_at");

-- CreateIndex
CREATE INDEX "idempotency_records_request_id_idx" ON "idempotency_records"("request_id");

-- CreateIndex
CREATE UNIQUE INDEX "notification_endpoints_target_digest_key" ON "notification_endpoints"("target_digest");

-- CreateIndex
CREATE INDEX "notification_endpoints_user_id_idx" ON "notification_endpoints"("user_id");

-- CreateIndex
CREATE INDEX "notification_endpoints_api_key_id_idx" ON "notification_endpoints"("api_key_id");

-- CreateIndex
CREATE INDEX "notification_endpoints_session_id_idx" ON "notification_endpoints"("session_id");

-- CreateIndex
CREATE INDEX "notification_endpoints_next_due_at_idx" ON "notification_endpoints"("next_due_at");

-- CreateIndex
CREATE INDEX "notification_confirmations_address_digest_idx" ON "notification_confirmations"("address_digest");

-- CreateIndex
CREATE INDEX "notification_confirmations_user_id_idx" ON "notification_confirmations"("user_id");

-- CreateIndex
CREATE INDEX "notification_confirmations_created_at_idx" ON "notification_confirmations"("created_at");

-- CreateIndex
CREATE INDEX "notification_stop_links_address_digest_idx" ON "notification_stop_links"("address_digest");

-- CreateIndex
CREATE INDEX "notification_stop_links_sent_at_idx" ON "notification_stop_links"("sent_at");

-- CreateIndex
CREATE INDEX "notification_deliveries_endpoint_id_created_at_id_idx" ON "notification_deliveries"("endpoint_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "notification_deliveries_due_idx" ON "notification_deliveries"("endpoint_id", "due_at")
    WHERE "state" IN ('waiting', 'sending');

-- CreateIndex
CREATE INDEX "notification_deliveries_ended_idx" ON "notification_deliveries"("ended_at")
    WHERE "ended_at" IS NOT NULL;

-- CreateIndex
CREATE INDEX "notification_facts_request_id_idx" ON "notification_facts"("request_id");

-- AddForeignKey
ALTER TABLE "identities" ADD CONSTRAINT "identities_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "sign_in_links" ADD CONSTRAINT "sign_in_links_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "api_key_secrets" ADD CONSTRAINT "api_key_secrets_api_key_id_fkey" FOREIGN KEY ("api_key_id") REFERENCES "api_keys"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "help_requests" ADD CONSTRAINT "help_requests_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "help_requests" ADD CONSTRAINT "help_requests_consumer_key_id_fkey" FOREIGN KEY ("consumer_key_id") REFERENCES "api_keys"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "messages" ADD CONSTRAINT "messages_request_id_fkey" FOREIGN KEY ("request_id") REFERENCES "help_requests"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "idempotency_records" ADD CONSTRAINT "idempotency_records_api_key_id_fkey" FOREIGN KEY ("api_key_id") REFERENCES "api_keys"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "idempotency_records" ADD CONSTRAINT "idempotency_records_request_id_fkey" FOREIGN KEY ("request_id") REFERENCES "help_requests"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "sealed_values" ADD CONSTRAINT "sealed_values_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "notification_endpoints" ADD CONSTRAINT "notification_endpoints_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "notification_endpoints" ADD CONSTRAINT "notification_endpoints_api_key_id_fkey" FOREIGN KEY ("api_key_id") REFERENCES "api_keys"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "notification_settings" ADD CONSTRAINT "notification_settings_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "notification_confirmations" ADD CONSTRAINT "notification_confirmations_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "notification_deliveries" ADD CONSTRAINT "notification_deliveries_endpoint_id_fkey" FOREIGN KEY ("endpoint_id") REFERENCES "notification_endpoints"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "notification_facts" ADD CONSTRAINT "notification_facts_request_id_fkey" FOREIGN KEY ("request_id") REFERENCES "help_requests"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- By hand

-- Digests are SHA-256: a shorter value is a key that was stored by mistake.
ALTER TABLE "api_key_secrets"
    ADD CONSTRAINT "api_key_secrets_digest_check" CHECK (octet_length("secret_digest") = 32);
ALTER TABLE "idempotency_records"
    ADD CONSTRAINT "idempotency_records_digests_check"
    CHECK (octet_length("key_digest") = 32 AND octet_length("body_digest") = 32);
ALTER TABLE "api_keys"
    ADD CONSTRAINT "api_keys_last_four_check" CHECK (char_length("last_four") = 4);

ALTER TABLE "help_requests"
    ADD CONSTRAINT "help_requests_ended_check"
    CHECK (("ended_at" IS NOT NULL) = ("status" IN ('closed', 'expired'))),
    ADD CONSTRAINT "help_requests_counts_check"
    CHECK ("seq" >= 1 AND "response_count" >= 0 AND "message_count" >= "response_count" AND "content_bytes" >= 0),
    ADD CONSTRAINT "help_requests_consumer_keys_check"
    CHECK (num_nulls("consumer_sign_pub_key", "consumer_encrypt_pub_key") IN (0, 2)),
    ADD CONSTRAINT "help_requests_provider_keys_check"
    CHECK (num_nulls("provider_sign_pub_key", "provider_encrypt_pub_key") IN (0, 2)),
    ADD CONSTRAINT "help_requests_key_signature_check"
    CHECK ("key_signature" IS NULL OR "provider_sign_pub_key" IS NOT NULL);

-- An encrypted message is whole or absent, and a message says something.
ALTER TABLE "messages"
    ADD CONSTRAINT "messages_encrypted_check"
    CHECK (num_nulls("iv", "ciphertext", "tag", "ephemeral_public_key", "signature") IN (0, 5)),
    ADD CONSTRAINT "messages_content_check"
    CHECK ("ciphertext" IS NOT NULL OR "plaintext" IS NOT NULL);

ALTER TABLE "outbox_events"
    ADD CONSTRAINT "outbox_events_published_check"
    CHECK (num_nulls("published_at", "stream_seq", "stream_created_at") IN (0, 3)),
    ADD CONSTRAINT "outbox_events_failed_check"
    CHECK ("failed_at" IS NULL OR "published_at" IS NULL);

-- Queues, whose rows are updated or moved once or twice, and deleted soon. The default waits until a fifth of the table is dead.
ALTER TABLE "outbox_events" SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);
ALTER TABLE "request_stages" SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);
ALTER TABLE "notification_facts" SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);

-- Room on each page for the next version of every row there.
ALTER TABLE "help_requests" SET (fillfactor = 50);

-- request_stages follows help_requests, so that no change of a request touches an index by time: see
-- docs/adr/0008-times-in-a-table-of-their-own.md and 0012-inbox-in-request-stages.md.
CREATE FUNCTION "stage_of"("ended_at" TIMESTAMPTZ, "erased_at" TIMESTAMPTZ) RETURNS "request_stage"
    LANGUAGE sql IMMUTABLE
    RETURN CASE
        WHEN "erased_at" IS NOT NULL THEN 'erased'::"request_stage"
        WHEN "ended_at" IS NOT NULL THEN 'ended'
        ELSE 'open'
    END;

CREATE FUNCTION "progress_of"("status" "request_status", "response_count" INTEGER, "turn" "message_role")
    RETURNS "request_progress" LANGUAGE sql IMMUTABLE
    RETURN CASE
        WHEN "status" = 'closed' THEN 'closed'::"request_progress"
        WHEN "response_count" = 0 THEN 'unanswered'
        WHEN "turn" = 'consumer' THEN 'answered'
        ELSE 'follow_up'
    END;

-- The search path is fixed, since a program that restores a dump has another one, or none.
CREATE FUNCTION "follow_request"() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    IF TG_OP = 'TRUNCATE' THEN
        TRUNCATE "request_stages";
        RETURN NULL;
    END IF;
    IF TG_OP <> 'INSERT' THEN
        DELETE FROM "request_stages"
        WHERE "stage" = "stage_of"(OLD."ended_at", OLD."erased_at")
            AND "at" = COALESCE(OLD."ended_at", OLD."expires_at") AND "request_id" = OLD."id";
    END IF;
    IF TG_OP <> 'DELETE' THEN
        INSERT INTO "request_stages" ("stage", "at", "request_id", "user_id", "active_at", "progress")
        VALUES (
            "stage_of"(NEW."ended_at", NEW."erased_at"), COALESCE(NEW."ended_at", NEW."expires_at"), NEW."id",
            NEW."user_id", COALESCE(NEW."ended_at", GREATEST(NEW."created_at", NEW."last_message_at")),
            "progress_of"(NEW."status", NEW."response_count", NEW."turn"));
    END IF;
    RETURN NULL;
END $$;

CREATE TRIGGER "follow_made_request" AFTER INSERT ON "help_requests"
    FOR EACH ROW EXECUTE FUNCTION "follow_request"();
CREATE TRIGGER "follow_gone_request" AFTER DELETE ON "help_requests"
    FOR EACH ROW EXECUTE FUNCTION "follow_request"();
CREATE TRIGGER "follow_gone_requests" AFTER TRUNCATE ON "help_requests"
    FOR EACH STATEMENT EXECUTE FUNCTION "follow_request"();
-- All but an expiry: requests expire by the thousand, and one statement moves their rows three times as fast.
CREATE TRIGGER "follow_changed_request" AFTER UPDATE OF "expires_at", "ended_at", "erased_at" ON "help_requests"
    FOR EACH ROW WHEN (
        (OLD."expires_at", OLD."ended_at", OLD."erased_at") IS DISTINCT FROM (NEW."expires_at", NEW."ended_at", NEW."erased_at")
        AND NOT (NEW."status" = 'expired' AND OLD."ended_at" IS NULL))
    EXECUTE FUNCTION "follow_request"();

CREATE FUNCTION "follow_message"() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    UPDATE "request_stages" SET
        "active_at" = GREATEST(NEW."created_at", NEW."last_message_at"),
        "progress" = "progress_of"(NEW."status", NEW."response_count", NEW."turn")
    WHERE "stage" = 'open' AND "at" = NEW."expires_at" AND "request_id" = NEW."id";
    RETURN NULL;
END $$;

CREATE TRIGGER "follow_message" AFTER UPDATE OF "response_count", "last_message_at", "turn" ON "help_requests"
    FOR EACH ROW WHEN (OLD."ended_at" IS NULL AND NEW."ended_at" IS NULL)
    EXECUTE FUNCTION "follow_message"();
