CREATE TABLE "notification_stop_links" (
    "token_digest" BYTEA NOT NULL,
    "address_digest" BYTEA NOT NULL,
    "sent_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "used_at" TIMESTAMPTZ(3),

    CONSTRAINT "notification_stop_links_pkey" PRIMARY KEY ("token_digest")
);

CREATE INDEX "notification_stop_links_address_digest_idx" ON "notification_stop_links"("address_digest");

CREATE INDEX "notification_stop_links_sent_at_idx" ON "notification_stop_links"("sent_at");

-- An address whose owner has stopped the mails needs a new confirmation.
UPDATE "notification_endpoints" SET "confirmed_at" = NULL WHERE "channel" = 'mail' AND "off_reason" = 'unsubscribed';
