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
        # The signature is over the bytes as they arrived.
        body = self.rfile.read(int(self.headers["content-length"]))
        headers = {name.lower(): value for name, value in self.headers.items()}
        try:
            event = webhook.verify(body, headers)
        except WebhookVerificationError:
            self.send_response(401)
            self.end_headers()
            return
        self.send_response(204)
        self.end_headers()
        if headers["webhook-id"] not in handled:
            handled.add(headers["webhook-id"])
            print(json.dumps(event), flush=True)

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "9876"))), Receiver)
print("Receiving.", file=sys.stderr, flush=True)
server.serve_forever()
