#!/usr/bin/env bash
# Asks an expert with nothing but curl, in plain text (which the relay can read), and prints the answer. Run:
# RELAY_URL=http://127.0.0.1:8080 RELAY_API_KEY=hs_... bash examples/agent.sh "May I remove the lock file?"
set -eo pipefail
: "${RELAY_URL:?Set it to the address of the relay, as npm start prints it.}"
: "${RELAY_API_KEY:?Set it to the consumer key, as npm start prints it.}"
question=${1:?Give the question.}

# Keys are passed through standard input: other users of the machine can read command lines.
get() { exec curl -fsS --retry 3 --header @- "$@" <<<"x-api-key: $RELAY_API_KEY"; }
# The text of a member, if it holds nothing that JSON escapes, such as an id or an address.
member() { sed -E "s/.*\"$1\":\"([^\"]*)\".*/\1/"; }
# A text as JSON.
json() {
  local text=${1//\\/\\\\}
  text=${text//\"/\\\"}
  text=${text//$'\n'/\\n}
  text=${text//$'\t'/\\t}
  printf '"%s"' "${text//[[:cntrl:]]/ }"
}
# The expert's first answer in plain text, if there is one yet.
answer() {
  get "$RELAY_URL/api/v1/messages/$request" |
    grep -oE '"role":"provider","plaintext":"([^"\\]|\\.)*"' |
    sed -nE '1s/^.*"plaintext":"(.*)"$/\1/p' | sed 's/\\"/"/g'
}

# With an idempotency key, a repeated call asks only once.
asked=$(curl -fsS --retry 3 "$RELAY_URL/api/v1/help" --header 'content-type: application/json' \
  --header "idempotency-key: $(date +%s)-$$-$RANDOM" --data @- <<EOT
{"apiKey": "$RELAY_API_KEY", "messages": [], "question": $(json "$question"), "plaintext": $(json "$question")}
EOT
)
request=$(member requestId <<<"$asked")
# The request is closed in any case: a later answer would not be read.
finish() {
  kill $! 2>/dev/null || true
  (get --request POST "$RELAY_URL/api/v1/close/$request") >/dev/null 2>&1 || true
}
trap finish EXIT
hub=$(get "$RELAY_URL/.well-known/expert-relay" | member hubUrl)
echo "Asked as $(member refCode <<<"$asked"). Waiting for the expert." >&2

# Every stream ends now and then. The next one begins with the first event again, so that none is missed.
until [[ $text ]]; do
  while read -r event; do
    case $event in
      data:*'"new_message","role":"provider"'*) text=$(answer) && break ;;
      data:*'"request_closed"'*) echo 'It ended without an answer in plain text.' >&2 && exit 1 ;;
      event:*hub.reset) text=$(answer) && break ;;
    esac
  done < <(get --no-buffer "${hub%/}/?topic=/svc/requests/$request&lastEventId=earliest")
  [[ $text ]] || sleep 1
done
printf '%b\n' "$text"
