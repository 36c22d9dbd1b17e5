-- Made from schema.prisma by Prisma's engine, then finished by hand: the predicates of the partial
-- indexes, and everything below "By hand".

-- CreateEnum
CREATE TYPE "key_kind" AS ENUM ('consumer', 'provider');

-- CreateEnum
CREATE TYPE "request_status" AS ENUM ('pending', 'responded', 'closed', 'expired');

-- CreateEnum
CREATE TYPE "message_role" AS ENUM ('consumer', 'provider');

-- CreateTable
CREATE TABLE "users" (
    "id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "name" TEXT NOT NULL,
    "email" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "users_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "identities" (
    "provider" TEXT NOT NULL,
    "subject" TEXT NOT NULL,
    "user_id" UUID NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "identities_pkey" PRIMARY KEY ("provider","subject")
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
    "question" TEXT,
    "plaintext" TEXT,
    "context" JSON NOT NULL,
    "consumer_sign_pub_key" TEXT,
    "consumer_encrypt_pub_key" TEXT,
    "provider_sign_pub_key" TEXT,
    "provider_encrypt_pub_key" TEXT,
    "key_signature" TEXT,
    "call_id" UUID NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "ended_at" TIMESTAMPTZ(3),

    CONSTRAINT "help_requests_pkey" PRIMARY KEY ("id")
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
    "stream_epoch" TEXT,
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
CREATE TABLE "vaults" (
    "user_id" UUID NOT NULL,
    "wrapped_root_secret" TEXT NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "vaults_pkey" PRIMARY KEY ("user_id")
);

-- CreateIndex
CREATE INDEX "identities_user_id_idx" ON "identities"("user_id");

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
CREATE INDEX "help_requests_consumer_key_id_created_at_id_idx" ON "help_requests"("consumer_key_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "help_requests_due_idx" ON "help_requests"("expires_at")
    WHERE "status" IN ('pending', 'responded');

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
CREATE INDEX "idempotency_records_created_at_idx" ON "idempotency_records"("created_at");

-- CreateIndex
CREATE INDEX "idempotency_records_request_id_idx" ON "idempotency_records"("request_id");

-- AddForeignKey
ALTER TABLE "identities" ADD CONSTRAINT "identities_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

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
ALTER TABLE "vaults" ADD CONSTRAINT "vaults_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

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
    CHECK (num_nulls("published_at", "stream_seq", "stream_epoch") IN (0, 3)),
    ADD CONSTRAINT "outbox_events_failed_check"
    CHECK ("failed_at" IS NULL OR "published_at" IS NULL);

-- A queue: every row is updated once and deleted soon. The default waits until a fifth of the table is dead.
ALTER TABLE "outbox_events" SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);
