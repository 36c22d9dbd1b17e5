# Receives webhooks, checks their signatures, and prints each event once. Run:
# WEBHOOK_SECRET=whsec_... PORT=9876 python3 examples/webhooks/receiver.py
import json
import os
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from standardwebhooks.webhooks import Webhook, WebhookVerificationError

webhook = Webhook(os.environ["WEBHOOK_SECRET"])
# A server that runs for longer keeps the ids of the last four days, in its database.
handled = set()


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        try:
            status = self.handle_delivery()
        except Exception:
            # What could not be handled is sent again.
            status = 500
        self.send_response(status)
        self.end_headers()

    def handle_delivery(self):
        # The signature is over the bytes as they arrived.
        body = self.rfile.read(int(self.headers["content-length"]))
        headers = {name.lower(): value for name, value in self.headers.items()}
        try:
            event = webhook.verify(body, headers)
        except (WebhookVerificationError, ValueError):
            # The library raises ValueError for a signature or a body that it cannot decode.
            return 401
        if headers["webhook-id"] not in handled:
            print(json.dumps(event), flush=True)
        handled.add(headers["webhook-id"])
        return 204

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "9876"))), Receiver)
print("Receiving.", file=sys.stderr, flush=True)
server.serve_forever()
