"""A page in headless Chromium without any network, driven by a script put into a copy of it.

The script's findings travel by the page itself: it appends them as JSON to an element that
`--dump-dom` prints. The page sits in a frame, so that any width can be tried, also a phone's.
"""

import html
import json
import re
import shutil
import subprocess

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")

_WATCH = """<script>
window.faults = [];
addEventListener("error", (e) => faults.push(String(e.message)), true);
addEventListener("securitypolicyviolation", (e) => faults.push("blocked " + e.blockedURI));
</script>"""

_REPORT = """<script>
addEventListener("load", async () => {
  let found;
  try { found = await (async () => { %s })(); } catch (error) { found = { broken: String(error) }; }
  found.faults = faults;
  parent.postMessage(JSON.stringify(found), "*");
});
</script>"""

_FRAME = """<!DOCTYPE html><title>frame</title><pre id="found"></pre>
<iframe src="%s" width="%d" height="900"></iframe>
<script>addEventListener("message", (e) => { found.textContent = e.data; });</script>"""


def visit(folder, page, script, width=1280, extra=""):
    """Runs `script` (it returns an object) in the page at this width; returns what it found."""
    watched = page.replace("<head>", "<head>" + _WATCH, 1)
    assert watched != page
    watched = watched.replace("</body>", extra + _REPORT % script + "</body>", 1)
    (folder / "page.html").write_text(watched, encoding="utf-8")
    (folder / "frame.html").write_text(_FRAME % ("page.html", width), encoding="utf-8")
    dom = subprocess.run(
        [
            CHROMIUM,
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-quic",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--host-resolver-rules=MAP * ~NOTFOUND",
            f"--user-data-dir={folder / 'profile'}",
            f"--window-size={max(width + 100, 600)},1000",
            "--virtual-time-budget=30000",
            "--dump-dom",
            (folder / "frame.html").as_uri(),
        ],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    ).stdout
    found = re.search(r'<pre id="found">(.*?)</pre>', dom, flags=re.DOTALL)
    assert found is not None
    assert found.group(1), "the page did not finish loading"
    return json.loads(html.unescape(found.group(1)))
