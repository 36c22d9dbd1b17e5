-- Ended requests lose their content after a while, and later go altogether.

ALTER TABLE "help_requests" ADD COLUMN "erased_at" TIMESTAMPTZ(3);

-- Each request is in one of them once it has ended; both are walked from their old end.
CREATE INDEX "help_requests_kept_idx" ON "help_requests"("ended_at")
    WHERE "ended_at" IS NOT NULL AND "erased_at" IS NULL;
CREATE INDEX "help_requests_erased_idx" ON "help_requests"("ended_at")
    WHERE "erased_at" IS NOT NULL;
