-- Every statement that counts a message says when it came and from whom.
DROP TRIGGER "note_message" ON "help_requests";
DROP FUNCTION "note_message"();
