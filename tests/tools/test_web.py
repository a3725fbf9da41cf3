"""CHAT-10: web pages come as Markdown, or as a sentence that says why they do not."""

import asyncio
import datetime as dt
import gzip
import json
import os
import socket
import ssl
import subprocess
import sys
import time
import zlib
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from app.tools.page_fetch import MAX_BYTES
from app.tools.tool import BadArguments, ToolResult, schema_of
from app.tools.web import WEB_TOOLS
from tests.tools.page_server import PageServer, Sent, a_page_server, drip, fetched, read

HERE = ("127.0.0.1",)


@pytest.fixture(scope="module")
def server() -> Iterator[PageServer]:
    """A server that all tests of this file may ask."""
    with a_page_server() as server:
        yield server


def shown(server: PageServer, sent: Sent, chars: int = 100_000) -> str:
    """What the model reads of a page, without the line that names it."""
    server.pages["/page"] = sent
    result = read(server.at("/page"), chars)
    assert result.ok, result
    return without_first(result, server.at("/page"))


def without_first(result: ToolResult, url: str) -> str:
    """The text behind the line that names the page."""
    first, blank, rest = result.text.split("\n", 2)
    assert (first, blank, result.source) == (f"Web page {url}", "", url)
    return rest


ARTICLE = """<!doctype html>
<html><head><title> The  title </title><style>p { color: red }</style></head>
<body>
<header><a href="/">Home</a></header>
<nav><ul><li><a href="/menu">Menu</a></ul></nav>
<main>
<h2>Parts<a class="headerlink" href="#parts">¶</a></h2>
<p>Text with <b>bold</b>, <em>weight</em>, <code>a_b * c</code>,
   <a href="../up?q=1 2">a link</a>, <a href="#near">near</a>,
   <a href="javascript:alert(1)">a script</a>, <a href="/empty"><img src="x.png"></a>.
<p>A second one, not ended. <img src="cat.png" alt="A  cat">
<ul><li>one<li>two<ul><li>three</ul></ul>
<ol start="3"><li>third</li><li>fourth</li></ol>
<table><thead><tr><th>name<th>size</thead><tr><td>a|b<td>2<tr><td>c<td>3</table>
<pre><code class="language-python">def f():


    return "|"
</code></pre>
<div class="highlight-bash"><div><pre>ls -l</pre></div></div>
<blockquote>quoted</blockquote>
<div hidden>secret 1</div><div aria-hidden="true">secret 2</div>
<div style="color: red; DISPLAY : none">secret 3</div>
<script>secret(4)</script><noscript>secret 5</noscript><template>secret 6</template>
<!-- secret 7 -->
<button>secret 8</button>
</main>
<footer>secret 9</footer>
</body></html>"""

AS_MARKDOWN = """# The title

## Parts

Text with **bold**, *weight*, `a_b * c`,
[a link]({base}/up?q=1%202), near,
a script, .

A second one, not ended. [image: A cat]

- one
- two
  - three

3. third
4. fourth

| name | size |
| --- | --- |
| a\\|b | 2 |
| c | 3 |

```python
def f():


    return "|"
```

```bash
ls -l
```

> quoted"""


async def test_a_page_as_markdown(server: PageServer) -> None:
    """CHAT-10: headings, links, lists, tables, code; nothing that a reader would not see."""
    server.pages["/page"] = Sent(ARTICLE)
    result = await fetched(server.at("/page"), allowed_hosts=HERE)
    assert (result.ok, result.type) == (True, "web_content")
    assert without_first(result, server.at("/page")) == AS_MARKDOWN.format(base=server.at(""))


@pytest.mark.parametrize(
    ("html", "markdown"),
    [
        ("<title>T</title><h1>One</h1><p>x", "# One\n\nx"),
        ("<title>T</title><p>x", "# T\n\nx"),
        ("<p>x", "x"),
        ("", ""),
        ("only text, no tag", "only text, no tag"),
        ("<base href='http://a.example/b/'><a href='c'>d</a>", "[d](http://a.example/b/c)"),
        ("<base href='http://[x/'><a href='http://[y'>d</a>", "d"),
        ("<a href='mailto:me@x.example'>me</a>", "[me](mailto:me@x.example)"),
        ("<a href='data:text/html,x'>d</a><a>e</a>", "de"),
        ("<article>the one</article><p>beside", "the one"),
        ("<article>one</article><article>two</article>", "one\n\ntwo"),
        ("<main></main><p>outside the empty main", "outside the empty main"),
        ("<div role=main>in</div>out", "in"),
        (
            "<table><tr><td><table><tr><td>a<td>b</table><td>c</table>",
            "| a | b |\n| --- | --- |\n\nc",
        ),
        ("<pre data-lang='rust'>fn</pre>", "```rust\nfn\n```"),
        ("<pre class='brush: js'>x</pre>", "```js\nx\n```"),
        ("<pre class='lang-`x`'>x</pre>", "```\nx\n```"),
        ("<p>[bold]no markup[/] \x1b[31mred\x07", "[bold]no markup[/] red"),
        ("<p>x&#x202e;y&lt;b&gt;", "x\\u202ey<b>"),
        ("<svg><text>no</text></svg><p>yes", "yes"),
        ("a<br>b", "a\nb"),
        ("<pre class='rust x'>fn</pre>", "```rust\nfn\n```"),
        ("<pre>```\na\n\n\nb \n```</pre>c", "````\n```\na\n\n\nb \n```\n````\n\nc"),
        ("<pre> </pre>x", "x"),
    ],
)
def test_parts_of_pages(html: str, markdown: str) -> None:
    """CHAT-10: one part each."""
    from app.tools.page_markdown import to_markdown
    from widgets.plain import printable

    assert printable(to_markdown(html, "http://x.example/")) == markdown


@pytest.mark.parametrize(
    "html",
    [
        "<b>" * 50_000 + "kept",
        "<div>x" * 50_000 + "kept",
        "<ul><li>" * 20_000 + "kept",
        "<blockquote>" * 20_000 + "kept",
        "<table><tr><td>" * 20_000 + "kept",
        "</p>" * 50_000 + "kept",
        "<" * 50_000 + "kept",
        "<!--" * 5_000,
        "&" * 100_000 + "kept",
        "<p " + "a=b " * 50_000 + ">kept",
        "\0" * 1_000 + "kept",
    ],
    ids=range(11),
)
def test_pages_that_are_made_to_hurt(html: str) -> None:
    """CHAT-10: deep and broken pages end in time."""
    from app.tools.page_markdown import to_markdown

    began = time.process_time()
    text = to_markdown(html, "http://x.example/")
    assert "kept" in text or "kept" not in html
    assert time.process_time() - began < 10


async def test_a_page_that_the_parser_runs_wild_on(server: PageServer) -> None:
    """CHAT-10: it costs the child process only, until the limit."""
    server.pages["/page"] = Sent("<a " * 500_000)
    began = time.monotonic()
    result = await fetched(server.at("/page"), allowed_hosts=HERE, web_s=1)
    assert time.monotonic() - began < 20
    assert (result.ok, result.error) == (False, "Timeout")
    assert children() == []


@pytest.mark.parametrize(
    ("kind", "body", "text"),
    [
        ("text/plain", "a <b> *c*", "a <b> *c*"),
        ("text/markdown; charset=utf-8", "# É", "# É"),
        ("application/json", '{"a":[1,"é"]}', '{\n "a": [\n  1,\n  "é"\n ]\n}'),
        ("application/json", '{"a":\n1}', '{"a":\n1}'),
        ("application/vnd.api+json", "[]", "[]"),
        ("application/json", "{broken", "{broken"),
        ("application/rss+xml", "<rss><a>b</a></rss>", "<rss><a>b</a></rss>"),
        ("text/xml", "<a/>", "<a/>"),
        ("application/xhtml+xml", "<html><body><p>x</p></body></html>", "x"),
        ("TEXT/HTML", "<p>x", "x"),
        ("text/csv", "a,b", "a,b"),
        ("application/x-yaml", "a: b", "a: b"),
        (None, "plain", "plain"),
        (None, " <html><p>x", "x"),
    ],
)
def test_kinds_of_text(server: PageServer, kind: str | None, body: str, text: str) -> None:
    """CHAT-10: what is text is read as it is; HTML as Markdown."""
    assert shown(server, Sent(body, kind)) == text


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("image/png", b"\x89PNG"),
        ("application/pdf", b"%PDF"),
        ("application/octet-stream", b"MZ\0"),
        ("video/mp4", b"x"),
        ("application/zip", b"PK"),
        ("text/html", b"\0\1\2\3"),
        (None, b"\x7fELF\0\0"),
        ("nonsense", b"x"),
        ("image/\x1b[31m", b"x"),
    ],
)
def test_what_is_no_text(server: PageServer, kind: str | None, body: bytes) -> None:
    """CHAT-10: other types are named, with their size."""
    server.pages["/page"] = Sent(body, kind)
    result = read(server.at("/page"))
    assert (result.ok, result.error) == (False, "UnsupportedContent")
    assert f"{len(body)} bytes" in result.text
    assert result.text.isprintable()
    if kind and kind.isprintable() and kind != "text/html":
        assert kind in result.text


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("text/html; charset=iso-8859-1", "<p>é “x” €".encode("cp1252")),
        ('text/html; charset="UTF-8"', "<p>é “x” €".encode()),
        ("text/html", "<meta charset=windows-1252><p>é “x” €".encode("cp1252")),
        ("text/html", "<meta content='text/html; charset=cp1252'><p>é “x” €".encode("cp1252")),
        ("text/html", "<p>é “x” €".encode("utf-8-sig")),
        ("text/html", "<p>é “x” €".encode("utf-16")),
        ("text/html; charset=utf-16le", "<p>é “x” €".encode("utf-16-le")),
        ("text/html; charset=no-such", "<p>é “x” €".encode()),
        ("text/html; charset=base64", "<p>é “x” €".encode()),
        ("text/html; charset=idna", "<p>é “x” €".encode()),
        ("text/html", "<p>é “x” €".encode()),
        ("text/html", "<p>é “x” €".encode("cp1252")),
        ("text/plain; charset=utf-8", "é “x” €".encode()),
        ("application/xml", "é “x” €".encode()),
    ],
)
def test_character_sets(server: PageServer, kind: str, body: bytes) -> None:
    """CHAT-10: the header's set goes first, then the page's own, then a guess."""
    assert shown(server, Sent(body, kind)) == "é “x” €"


@pytest.mark.parametrize("status", [400, 401, 403, 404, 410, 429, 500, 503])
def test_refusals_of_servers(server: PageServer, status: int) -> None:
    """CHAT-10: the status and the beginning of the text are told."""
    server.pages["/page"] = Sent("<h1>Sorry</h1>" + "<p>why" * 2_000, status=status)
    result = read(server.at("/page"))
    assert (result.ok, result.error) == (False, "HttpError")
    assert result.text.startswith(f"The server answered {status} ")
    assert "# Sorry" in result.text
    assert len(result.text) < 3_000


def test_a_refusal_without_text(server: PageServer) -> None:
    """CHAT-10: an error page that is an image is still an error."""
    server.pages["/page"] = Sent(b"\x89PNG\0", "image/png", 404)
    result = read(server.at("/page"))
    assert result.text == f"The server answered 404 Not Found for {server.at('/page')}."


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (b"", "BadAnswer"),
        (b"SSH-2.0-OpenSSH_9.2\r\n", "BadAnswer"),
        (b"HTTP/1.1 abc\r\n\r\n", "BadAnswer"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort", "BadAnswer"),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nff\r\nshort", "BadAnswer"),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", "BadAnswer"),
        (b"HTTP/1.1 200 OK\r\n" + b"A: b\r\n" * 200 + b"\r\n", "BadAnswer"),
        (b"HTTP/1.1 200 OK\r\nA: " + b"b" * 100_000 + b"\r\n\r\n", "BadAnswer"),
        (b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\nnot packed", "BadAnswer"),
        (b"HTTP/1.1 200 OK\r\nContent-Encoding: br\r\n\r\nx", "UnsupportedContent"),
        (b"HTTP/1.1 302 Found\r\nLocation: http://[x/\r\n\r\n", "BadAddress"),
        (b"HTTP/1.1 302 Found\r\nLocation: file:///etc/passwd\r\n\r\n", "UnsupportedScheme"),
        (b"HTTP/1.1 302 Found\r\n\r\n", "HttpError"),
    ],
)
def test_misbehaving_servers(server: PageServer, answer: bytes, error: str) -> None:
    """CHAT-10: what is not HTTP, or breaks off, is told."""
    server.raw["/raw"] = lambda connection: connection.sendall(answer)
    result = read(server.at("/raw"))
    assert (result.ok, result.error) == (False, error)
    assert "127.0.0.1" in result.text or error != "BadAnswer"


async def test_nobody_listens() -> None:
    """CHAT-10: a refused connection is told with the port."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    result = await fetched(f"http://127.0.0.1:{port}/", allowed_hosts=HERE)
    assert (result.ok, result.error) == (False, "ConnectionRefused")
    assert str(port) in result.text


async def test_a_name_that_does_not_exist() -> None:
    """CHAT-10: so is a name that nobody knows."""
    result = await fetched("http://no-such-host.invalid/", web_s=20)
    assert (result.ok, result.error) == (False, "HostNotFound")
    assert "no-such-host.invalid" in result.text


@pytest.mark.parametrize("silent", [True, False])
async def test_a_server_that_is_too_slow(server: PageServer, silent: bool) -> None:
    """CHAT-10: neither silence nor a byte now and then goes on for ever."""
    server.raw["/slow"] = (lambda connection: time.sleep(40)) if silent else drip(0.1)
    began = time.monotonic()
    result = await fetched(server.at("/slow"), allowed_hosts=HERE, web_s=1)
    assert time.monotonic() - began < 20
    assert (result.ok, result.error) == (False, "Timeout")


async def test_https_without_a_certificate_that_is_trusted(tmp_path: Path) -> None:
    """CHAT-10: TLS is verified, also for hosts that the user allowed."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(self_signed(tmp_path))
    with a_page_server() as server:
        server.pages["/"] = Sent("secret")
        server.socket = context.wrap_socket(server.socket, server_side=True)
        url = server.at(host="localhost").replace("http:", "https:")
        result = await fetched(url, allowed_hosts=("localhost",))
    assert (result.ok, result.error) == (False, "TlsFailed")
    assert "self-signed certificate" in result.text
    assert server.requests == []


def test_https_where_none_is_spoken(server: PageServer) -> None:
    """CHAT-10: a server without TLS is told apart from one that is away."""
    url = server.at("/").replace("http:", "https:")
    result = read(url)
    assert (result.ok, result.error) == (False, "TlsFailed")


def self_signed(folder: Path) -> Path:
    """A file with a certificate that nobody vouches for, and its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "localhost")])
    now = dt.datetime.now(dt.UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - dt.timedelta(days=1))
        .not_valid_after(now + dt.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
        .sign(key, hashes.SHA256())
    )
    pem = serialization.Encoding.PEM
    private = key.private_bytes(
        pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    file = folder / "server.pem"
    file.write_bytes(certificate.public_bytes(pem) + private)
    return file


def bare_deflate(body: bytes) -> bytes:
    """Deflate without zlib's head, as some servers send it."""
    packer = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return packer.compress(body) + packer.flush()


@pytest.mark.parametrize(
    ("encoding", "pack"),
    [
        ("gzip", gzip.compress),
        ("x-gzip", gzip.compress),
        ("deflate", zlib.compress),
        ("deflate", bare_deflate),
        ("identity", bytes),
    ],
)
def test_packed_pages(server: PageServer, encoding: str, pack: type[bytes]) -> None:
    """CHAT-10: packed pages are unpacked."""
    text = "text " * 100_000
    sent = Sent(pack(text.encode()), "text/plain", headers={"Content-Encoding": encoding})
    assert shown(server, sent, 1_000_000) == text


@pytest.mark.parametrize("packed", [True, False])
def test_pages_without_end(server: PageServer, packed: bool) -> None:
    """CHAT-10: 5 MB are read of a page, however small it was packed."""
    body = b"word " * (MAX_BYTES // 5 + 10_000) if not packed else b"word " * 20_000_000
    body = gzip.compress(body, 1) if packed else body
    headers = {"Content-Encoding": "gzip"} if packed else {}
    text = shown(server, Sent(body, "text/plain", headers=headers), 10_000_000)
    assert text.startswith("word word")
    assert text.endswith("[… only the first 5,000,000 bytes of the page were read …]")
    assert len(text) < MAX_BYTES + 100


def test_long_pages_are_cut(server: PageServer) -> None:
    """CHAT-10: a result has no more characters than the configuration says."""
    text = shown(server, Sent("<p>" + "word " * 1_000), 1_000)
    assert text == ("word " * 200) + "\n\n[… 3,999 more characters left out …]"


async def test_nothing_is_told_about_the_user(
    server: PageServer, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """CHAT-10: no cookies, no passwords, no referrer, a plain name; and no proxy learns of it."""
    (home / ".netrc").write_text("machine 127.0.0.1 login me password secret")
    (home / ".netrc").chmod(0o600)
    with a_page_server() as proxy:
        for name in ("http_proxy", "HTTP_PROXY", "ALL_PROXY", "https_proxy"):
            monkeypatch.setenv(name, proxy.at())
        server.pages["/first"] = Sent(
            status=302, headers={"Set-Cookie": "a=b", "Location": "/page"}
        )
        server.pages["/page"] = Sent("<p>here")
        server.requests.clear()
        result = await fetched(server.at("/first"), allowed_hosts=HERE)
        assert proxy.connections == 0
    assert result.ok
    assert result.source == server.at("/page")
    assert [path for path, _ in server.requests] == ["/first", "/page"]
    for _, headers in server.requests:
        assert set(headers) == {"Host", "User-Agent", "Accept", "Accept-Encoding", "Connection"}
        assert headers["User-Agent"].startswith("Strata/")


def children() -> list[int]:
    """The living child processes of this one that fetch pages."""
    found = []
    for child in psutil.Process().children():
        try:
            if "app.tools.page_child" in child.cmdline():
                found.append(child.pid)
        except psutil.Error:
            continue
    return found


async def test_cancelled(server: PageServer) -> None:
    """CHAT-10: Esc ends the child process."""
    arrived = asyncio.Event()
    loop = asyncio.get_running_loop()

    def hold(connection: socket.socket) -> None:
        loop.call_soon_threadsafe(arrived.set)
        connection.recv(1)

    server.raw["/hold"] = hold
    task = asyncio.create_task(fetched(server.at("/hold"), allowed_hosts=HERE))
    await asyncio.wait_for(arrived.wait(), 20)
    assert len(children()) == 1
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert children() == []


async def test_the_child_ends_with_its_parent(server: PageServer) -> None:
    """CHAT-10: where Strata is killed, no fetch goes on."""
    arrived = asyncio.Event()
    loop = asyncio.get_running_loop()

    def hold(connection: socket.socket) -> None:
        loop.call_soon_threadsafe(arrived.set)
        connection.recv(1)

    server.raw["/hold"] = hold
    child = await asyncio.create_subprocess_exec(
        *(sys.executable, "-P", "-m", "app.tools.page_child"),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert child.stdin is not None
    request = {"url": server.at("/hold"), "allowed_hosts": HERE, "seconds": 60}
    child.stdin.write(json.dumps({**request, "chars": 1_000, "agent": "x"}).encode() + b"\n")
    await asyncio.wait_for(arrived.wait(), 20)
    child.stdin.close()
    assert await asyncio.wait_for(child.wait(), 5) == 0


async def test_many_at_once(server: PageServer) -> None:
    """CHAT-10: calls of one answer may run beside each other."""
    for number in range(4):
        server.pages[f"/{number}"] = Sent(f"<p>page {number}")
    results = await asyncio.gather(
        *(fetched(server.at(f"/{number}"), allowed_hosts=HERE) for number in range(4))
    )
    assert [result.text.split()[-1] for result in results] == ["0", "1", "2", "3"]


def test_nothing_heavy_is_loaded_with_the_tools() -> None:
    """ALL-7: the screen's process loads neither parsers nor HTTP libraries."""
    program = (
        "import sys, app.tools.web, app.tools.shell;"
        "print(sorted({'bs4', 'markdownify', 'httpx', 'psutil',"
        " 'app.tools.page_child'} & set(sys.modules)))"
    )
    command = [sys.executable, "-P", "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=os.environ)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("arguments", [{}, {"url": 1}, {"url": "x", "headers": {}}])
async def test_wrong_arguments(arguments: dict[str, object]) -> None:
    """CHAT-10: a broken call goes back to the model."""
    with pytest.raises(BadArguments):
        await WEB_TOOLS[0].run(arguments, None)  # type: ignore[arg-type]


def test_what_the_model_is_told() -> None:
    """CHAT-10: the schema is small."""
    schema = schema_of(WEB_TOOLS[0])["function"]
    assert schema["name"] == "fetch_page"
    assert schema["parameters"]["required"] == ["url"]
    assert len(str(schema)) < 500
