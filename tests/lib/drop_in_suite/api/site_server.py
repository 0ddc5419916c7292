"""A small site with what the probes need: a download, a password, a proxy, a worker."""

import base64
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

PAGES = {
    "/": "<title>Start</title><link rel=icon href=data:,><a href=/next>next</a>",
    "/next": "<title>Next</title><link rel=icon href=data:,>",
    "/upload": "<link rel=icon href=data:,><form method=post enctype=multipart/form-data"
    " action=/take><input type=file name=f><button>send</button></form>",
    "/worker": "<link rel=icon href=data:,><script>window.ready ="
    " navigator.serviceWorker.register('/sw.js').then(() => navigator.serviceWorker.ready)"
    "</script>",
}


class Handler(BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def answer(self, body, kind="text/html", status=200, **headers):
        data = body.encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(data)

    def do_GET(self):
        if self.path.startswith("http://proxied.test/"):
            self.answer("<title>Through the proxy</title>")
        elif self.path == "/file":
            self.answer(
                "content",
                "application/octet-stream",
                Content_Disposition="attachment; filename=report.txt",
            )
        elif self.path == "/secret":
            wanted = "Basic " + base64.b64encode(b"user:word").decode()
            if self.headers.get("Authorization") == wanted:
                self.answer("<title>Inside</title>")
            else:
                self.answer("no", status=401, WWW_Authenticate='Basic realm="x"')
        elif self.path == "/sw.js":
            self.answer(
                "self.addEventListener('fetch', e => { if (e.request.url.endsWith("
                "'/made')) e.respondWith(new Response('by the worker')); });"
                "self.addEventListener('activate', e => e.waitUntil(clients.claim()))",
                "text/javascript",
            )
        elif self.path == "/agent":
            self.answer(self.headers.get("X-Probe", ""))
        elif self.path in PAGES:
            self.answer(PAGES[self.path])
        else:
            self.answer("nothing here", status=404)

    def do_POST(self):
        size = int(self.headers["Content-Length"])
        left = size
        while left:
            left -= len(self.rfile.read(min(left, 1 << 20)))
        self.answer(f"<title>{size}</title>")


def start_site():
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server
