-- Writers of events wait while it is built, for about a second per million rows.
-- Partial, so that it costs other events nothing: each hub asks for these rows every two seconds.
CREATE INDEX "outbox_events_revocations_idx" ON "outbox_events"("position")
    WHERE "type" = 'credential_revoked';
