#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""The rendering of a page of dvperf report in a browser.

	browser.py BROWSER PAGE [PICTURE.png]

       this program --- DevTools protocol over two pipes ---> BROWSER --- file://PAGE
            '------------- a proxy that is never to be asked <----'

Wide and narrow, light and dark: every figure has lines and texts of a size, its colours are in the
picture that is drawn of it, its texts do not overlap and differ from the background;
the page is no wider than the window; the console stays empty; and nothing is requested.
Violations are printed, line by line, and the exit status is 1. PICTURE is of the page, wide and
light.
"""
import base64
import json
import os
import select
import socket
import subprocess
import sys
import tempfile
import threading
import time

PATIENCE = 90  # seconds, for one answer
WIDTHS = {"wide": 1000, "narrow": 400}
PICTURE_HEIGHT = 2000
ENOUGH_PIXELS = 12  # of a line's own colour: where others lie on it, its sample in the key
READABLE = 7  # pixels, height of a text

# ---- the browser ----


class Browser:
    """One page in one browser. Commands wait for their answer; events are kept."""

    def __init__(self, program, profile, proxy_port):
        to_browser, self.out = os.pipe()
        self.inp, from_browser = os.pipe()
        # The browser reads file descriptor 3 and writes 4.
        self.process = subprocess.Popen(
            ["bash", "-c", 'exec 3<&%d 4>&%d; exec "$@"' % (to_browser, from_browser), "browser",
             program, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
             "--remote-debugging-pipe", "--user-data-dir=" + profile,
             "--disable-background-networking", "--disable-component-update",
             "--disable-dev-shm-usage",
             "--force-color-profile=srgb", "--proxy-bypass-list=<-loopback>",
             "--proxy-server=http://127.0.0.1:%d" % proxy_port, "about:blank"],
            pass_fds=(to_browser, from_browser), stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_browser)
        os.close(from_browser)
        self.buffer, self.number, self.events = b"", 0, []

    def message(self, awaited):
        deadline = time.monotonic() + PATIENCE
        while b"\0" not in self.buffer:
            if not select.select([self.inp], [], [], max(0, deadline - time.monotonic()))[0]:
                raise SystemExit("the browser does not answer: " + awaited)
            got = os.read(self.inp, 1 << 20)
            if not got:
                raise SystemExit("the browser ended: " + awaited)
            self.buffer += got
        text, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(text)

    def call(self, method, session=None, **params):
        self.number += 1
        command = {"id": self.number, "method": method, "params": params}
        if session:
            command["sessionId"] = session
        data = json.dumps(command).encode() + b"\0"
        while data:
            data = data[os.write(self.out, data):]
        while True:
            m = self.message(method)
            if m.get("id") == self.number:
                if "error" in m:
                    raise SystemExit("%s: %s" % (method, m["error"]["message"]))
                return m["result"]
            self.events.append(m)

    def wait(self, method, session):
        while not any(e.get("method") == method and e.get("sessionId") == session
                      for e in self.events):
            self.events.append(self.message(method))

    def page(self):
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        return self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]

    def value(self, session, expression):
        r = self.call("Runtime.evaluate", session, expression=expression, returnByValue=True,
                      awaitPromise=True)
        if "exceptionDetails" in r:
            raise SystemExit("in the browser: " + json.dumps(r["exceptionDetails"]))
        return r["result"].get("value")

    def end(self):
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


class Proxy:
    """Where the browser has to ask for anything that is no file. The callers are remembered."""

    def __init__(self):
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.port = self.socket.getsockname()[1]
        self.asked = []
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            connection, _ = self.socket.accept()
            connection.settimeout(5)
            try:
                line = connection.recv(4096).split(b"\r\n")[0]
            except OSError:
                line = b""
            self.asked.append(line.decode(errors="replace"))
            connection.close()


# ---- the page ----

# The drawing, figure by figure, in pixels of the window.
MEASURE = r"""(() => {
    const box = e => { const b = e.getBoundingClientRect();
        return { x: b.x + scrollX, y: b.y + scrollY, w: b.width, h: b.height }; };
    const color = c => c.match(/[\d.]+/g).slice(0, 3).map(Number);
    const figures = [...document.querySelectorAll("figure")].map(f => {
        const svg = [...f.querySelectorAll("svg")].find(e => e.getBoundingClientRect().width) || null;
        return { name: f.querySelector("figcaption b").textContent,
            words: [...f.querySelectorAll("figcaption li")].map(e => e.textContent),
            svg: svg && box(svg),
            lines: svg ? [...svg.querySelectorAll("g[id] path")]
                .filter(e => getComputedStyle(e).stroke != "none").map(e => ({
                color: color(getComputedStyle(e).stroke), ...box(e) })) : [],
            texts: svg ? [...svg.querySelectorAll("text")].map(e => ({ text: e.textContent,
                color: color(getComputedStyle(e).fill), ...box(e) }))
                .filter(t => t.text.trim()) : [] };
    });
    return { figures, width: document.documentElement.scrollWidth, window: innerWidth,
        background: color(getComputedStyle(document.body).backgroundColor),
        ends: [...document.querySelectorAll("figure")].map(f => box(f).y + box(f).h) };
})()"""

# How many pixels of a picture are of each color, but for rounding.
COUNT = r"""(async (data, colors) => {
    const image = new Image();
    image.src = "data:image/png;base64," + data;
    await image.decode();
    const canvas = new OffscreenCanvas(image.width, image.height);
    const context = canvas.getContext("2d");
    context.drawImage(image, 0, 0);
    const p = context.getImageData(0, 0, image.width, image.height).data;
    return colors.map(c => {
        let n = 0;
        for (let i = 0; i < p.length; i += 4)
            n += Math.abs(p[i] - c[0]) < 9 && Math.abs(p[i + 1] - c[1]) < 9 &&
                Math.abs(p[i + 2] - c[2]) < 9;
        return n;
    });
})(%s, %s)"""


def luminance(color):
    """WCAG 2.1, relative luminance."""
    c = [v / 255 for v in color]
    c = [v / 12.92 if v <= 0.03928 else ((v + 0.055) / 1.055) ** 2.4 for v in c]
    return 0.2126 * c[0] + 0.7152 * c[1] + 0.0722 * c[2]


def contrast(one, other):
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def covers(one, other):
    """Whether two texts lie on each other, by more than the air around letters."""
    return (min(one["x"] + one["w"], other["x"] + other["w"]) - max(one["x"], other["x"]) > 2 and
            min(one["y"] + one["h"], other["y"] + other["h"]) - max(one["y"], other["y"]) > 4)


def check_figure(f, background, complain):
    name = f["name"]
    if not f["svg"] or f["svg"]["w"] < 300 or f["svg"]["h"] < 150:
        return complain("%s: there is no figure of a size" % name)
    drawn = [p for p in f["lines"] if p["w"] > 20 and p["color"] != background]
    # matplotlib draws axes, ticks and the lines of the data as paths
    if len(drawn) < 2:
        complain("%s: only %d lines are drawn" % (name, len(drawn)))
    if len(f["texts"]) < 8:
        complain("%s: only %d texts: %s" % (name, len(f["texts"]), f["texts"]))
    if not f["words"]:
        complain("%s: nothing is said of it" % name)
    for i, t in enumerate(f["texts"]):
        if t["h"] < READABLE:
            complain("%s: '%s' is %.1f pixels high" % (name, t["text"], t["h"]))
        if contrast(t["color"], background) < 3:
            complain("%s: '%s' has too little contrast to the background" % (name, t["text"]))
        if (t["x"] < f["svg"]["x"] - 1 or t["y"] < f["svg"]["y"] - 1 or
                t["x"] + t["w"] > f["svg"]["x"] + f["svg"]["w"] + 1 or
                t["y"] + t["h"] > f["svg"]["y"] + f["svg"]["h"] + 1):
            complain("%s: '%s' is cut off" % (name, t["text"]))
        for other in f["texts"][:i]:
            if covers(t, other):
                complain("%s: '%s' overlaps '%s'" % (name, t["text"], other["text"]))


def check_pixels(browser, page, blank, f, background, complain):
    """That the colours of the lines are in the picture, not only in the page."""
    colors = [c for c in {tuple(p["color"]) for p in f["lines"]}
              if contrast(c, background) > 1.5 and max(c) - min(c) > 40]
    if not colors:
        return complain("%s: no line has a colour" % f["name"])
    box = f["svg"]
    picture = browser.call("Page.captureScreenshot", page, captureBeyondViewport=True, clip={
        "x": box["x"], "y": box["y"], "width": box["w"], "height": box["h"], "scale": 1})["data"]
    for color, n in zip(colors, browser.value(blank, COUNT % (json.dumps(picture),
                                                              json.dumps(colors)))):
        if n < ENOUGH_PIXELS:
            complain("%s: %d pixels of the line rgb%s" % (f["name"], n, color))


def picture_height(ends):
    """No figure is cut."""
    return max([end for end in ends if end < PICTURE_HEIGHT], default=PICTURE_HEIGHT)


def check_window(browser, page, blank, address, width, scheme, complain):
    browser.call("Emulation.setDeviceMetricsOverride", page, width=width, height=800,
                 deviceScaleFactor=1, mobile=False)
    browser.call("Emulation.setEmulatedMedia", page,
                 features=[{"name": "prefers-color-scheme", "value": scheme}])
    browser.events = [e for e in browser.events if e.get("method") != "Page.loadEventFired"]
    browser.call("Page.navigate", page, url=address)
    browser.wait("Page.loadEventFired", page)
    m = browser.value(page, MEASURE)
    if not m["figures"]:
        complain("there is no figure")
    if (luminance(m["background"]) > 0.5) != (scheme == "light"):
        complain("the background is rgb%s" % m["background"])
    if m["width"] > m["window"]:
        complain("%d pixels are wide of a window of %d" % (m["width"], m["window"]))
    for f in m["figures"]:
        check_figure(f, m["background"], complain)
        # of one that is wider than the window, what is beyond has to be scrolled to
        if f["svg"] and 0 < f["svg"]["w"] < m["window"] and f["svg"]["h"]:
            check_pixels(browser, page, blank, f, m["background"], complain)
    return m


def check_events(events, page, address, complain):
    for e in events:
        p = e.get("params", {})
        if e.get("sessionId") != page:
            continue
        if e["method"] == "Network.requestWillBeSent" and p["request"]["url"] != address:
            complain("it asks for " + p["request"]["url"])
        elif e["method"] == "Runtime.consoleAPICalled" or e["method"] == "Runtime.exceptionThrown":
            complain("the console says " + json.dumps(p.get("args", p.get("exceptionDetails"))))
        elif e["method"] == "Log.entryAdded":
            complain("the console says " + p["entry"]["text"])


def main(program, path, picture=None):
    address = "file://" + os.path.abspath(path)
    complaints, figures, proxy = [], 0, Proxy()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        browser = Browser(program, profile, proxy.port)
        try:
            blank, page = browser.page(), browser.page()
            for domain in "Page", "Runtime", "Network", "Log":
                browser.call(domain + ".enable", page)
            for name, width in WIDTHS.items():
                for scheme in "light", "dark":
                    m = check_window(browser, page, blank, address, width, scheme,
                                     lambda text: complaints.append(
                                         "%s, %s: %s" % (name, scheme, text)))
                    figures += len(m["figures"])
                    if picture and (name, scheme) == ("wide", "light"):
                        data = browser.call(
                            "Page.captureScreenshot", page, captureBeyondViewport=True,
                            clip={"x": 0, "y": 0, "width": width, "scale": 1,
                                  "height": picture_height(m["ends"])})["data"]
                        with open(picture, "wb") as f:
                            f.write(base64.b64decode(data))
            check_events(browser.events, page, address, complaints.append)
        finally:
            browser.end()
    complaints += ["it went to " + line for line in proxy.asked]
    for line in dict.fromkeys(complaints):
        print(line)
    print("%d figures in four windows, %d complaints" % (figures, len(complaints)))
    return 1 if complaints else 0


sys.exit(main(*sys.argv[1:]))
