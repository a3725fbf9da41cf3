"""HTML as Markdown: what a reader of the page would read, and where its links lead (CHAT-10)."""

import re
from typing import Any
from urllib.parse import urljoin, urlsplit

from bs4 import BeautifulSoup, Tag
from markdownify import ATX, MarkdownConverter

MAX_TAGS = 100_000
"""Larger pages are cut: each tag costs about a kilobyte of memory and 20 µs."""
MAX_DEPTH = 100
"""Deeper tags lose their meaning and keep their text: no reader sees such structure."""

_NOT_READ = (
    *("script", "style", "noscript", "template", "nav", "iframe", "object", "embed", "svg"),
    *("canvas", "audio", "video", "map", "form", "button", "input", "select", "textarea"),
    *("dialog", "head", "title"),
)
_HIDDEN_STYLE = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_LANGUAGE = re.compile(
    r"(?:^|\s)(?:language|lang|highlight(?:-source)?|brush:?)[-\s]\s*([\w+#.-]+)"
)
# Classes that are nothing but the language of a block.
_LANGUAGES = frozenset(
    (
        *("bash", "c", "cpp", "css", "go", "html", "java", "javascript", "js", "json", "kotlin"),
        *("php", "python", "ruby", "rust", "scala", "sh", "sql", "swift", "toml", "typescript"),
        *("xml", "yaml"),
    )
)
_FENCE = re.compile(r"\s*(`{3,})")
_PERMALINKS = frozenset(("", "#", "¶", "§", "🔗"))
_TABLE_PARTS = ("thead", "tbody", "tfoot", "tr", "td", "th")
_MAIN_SHARE = 0.1  # less of a page's text than this is not its content

# A tag of these ends an open one of the same line, as HTML allows to leave out ends.
_ENDED_BY = {
    "li": (("li",), ("ul", "ol", "menu")),
    "dt": (("dt", "dd"), ("dl",)),
    "dd": (("dt", "dd"), ("dl",)),
    "p": (("p",), ("div", "td", "th", "li", "section", "article", "blockquote", "body")),
    "tr": (("tr",), ("table",)),
    "td": (("td", "th"), ("tr", "table")),
    "th": (("td", "th"), ("tr", "table")),
    "option": (("option",), ("select",)),
}


def to_markdown(html: str, url: str) -> str:
    """A page as Markdown.

    Args:
        html: The page.
        url: Where it stands, which its links are relative to.
    """
    soup = _Soup(_few_tags(html), "html.parser")
    title = " ".join(soup.title.get_text(" ").split()) if soup.title else ""
    url = _base(soup, url)
    _remove_unread(soup)
    content = _content(soup)
    _mend_tables(content)
    _mend_images(content)
    _mend_links(content, url)
    text = _Converter(
        heading_style=ATX,
        bullets="-",
        escape_asterisks=False,
        escape_underscores=False,
        table_infer_header=True,
    ).convert_soup(content)
    text = _tidy(text)
    if title and content.find("h1") is None:
        text = f"# {title}\n\n{text}"
    return text


class _Soup(BeautifulSoup):
    """A tree of bounded depth, in which left-out end tags are put where HTML means them."""

    def handle_starttag(self, name: str, *args: Any, **options: Any) -> Tag | None:
        """Begins a tag, and ends those that it ends."""
        ends, walls = _ENDED_BY.get(name, ((), ()))
        tag = self.currentTag if ends else None
        for _ in range(MAX_DEPTH):
            if tag is None or tag.name in walls:
                break
            if tag.name in ends:
                self.handle_endtag(tag.name)
                break
            tag = tag.parent
        if len(self.tagStack) > MAX_DEPTH:
            return None
        return super().handle_starttag(name, *args, **options)


class _Converter(MarkdownConverter):
    """Markdown in which a block of code may hold fences itself."""

    def convert_pre(self, el: Tag, text: str, **_: Any) -> str:
        """A block of code."""
        text = text.rstrip().lstrip("\n")
        if not text:
            return ""
        inside = max(map(len, re.findall("`+", text)), default=0)
        fence = "`" * max(3, inside + 1)
        return f"\n\n{fence}{_language(el)}\n{text}\n{fence}\n\n"


def _base(soup: BeautifulSoup, url: str) -> str:
    """What the links of a page are relative to."""
    base = soup.find("base", href=True)
    try:
        return urljoin(url, str(base["href"])) if base else url
    except ValueError:
        return url


def _few_tags(html: str) -> str:
    """The page up to a number of tags that can be handled."""
    place = -1
    for _ in range(MAX_TAGS):
        place = html.find("<", place + 1)
        if place < 0:
            return html
    return html[:place]


def _remove_unread(soup: BeautifulSoup) -> None:
    for tag in soup.find_all(_is_unread):
        if not tag.decomposed:
            tag.decompose()


def _is_unread(tag: Tag) -> bool:
    if tag.name in _NOT_READ:
        # Some pages are one large form.
        return tag.name != "form" or len(tag.get_text(strip=True)) < 200  # noqa: PLR2004
    if tag.has_attr("hidden") or tag.get("aria-hidden") == "true":
        return True
    return bool(_HIDDEN_STYLE.search(str(tag.get("style") or "")))


def _content(soup: BeautifulSoup) -> Tag:
    """The part of the page that is its content."""
    whole: Tag = soup.body or soup
    least = len(whole.get_text(strip=True)) * _MAIN_SHARE
    articles = soup.find_all("article")
    for part in (soup.find("main"), soup.find(True, attrs={"role": "main"}), *articles[:1]):
        if not isinstance(part, Tag) or (part.name == "article" and len(articles) > 1):
            continue
        if len(part.get_text(strip=True)) > least:
            return part
    return whole


def _mend_tables(content: Tag) -> None:
    """Takes tables apart that only arrange other tables, and marks bars inside of cells."""
    for table in content.find_all("table"):
        if table.find("table") is None:
            continue
        for part in table.find_all(_TABLE_PARTS):
            if part.find_parent("table") is table:
                part.name = "div"
        table.name = "div"
    for cell in content.find_all(("td", "th")):
        for text in cell.find_all(string=_has_bar):
            text.replace_with(text.replace("|", "\\|"))


def _has_bar(text: str | None) -> bool:
    return text is not None and "|" in text


def _mend_links(content: Tag, url: str) -> None:
    """Makes links absolute; those that lead nowhere else become their text."""
    for link in content.find_all("a"):
        try:
            place = urljoin(url, str(link.get("href") or "").strip())
            leads = urlsplit(place).scheme in ("http", "https", "mailto")
        except ValueError:
            leads = False
        inside = str(link.get("href") or "#").startswith("#")
        if link.get_text(strip=True) in (_PERMALINKS if inside else ("",)):
            link.decompose()
        elif inside or not leads:
            link.unwrap()
        else:
            link.attrs = {"href": place.replace(" ", "%20").replace(")", "%29")}


def _mend_images(content: Tag) -> None:
    """Puts what an image shows in its place."""
    for image in content.find_all("img"):
        told = " ".join(str(image.get("alt") or "").split())
        if told:
            image.replace_with(f"[image: {told}]")
        else:
            image.decompose()


def _language(block: Tag) -> str:
    """The language of a block of code, as its classes or those around it tell."""
    code = block.find("code")
    near = [block, *([code] if isinstance(code, Tag) else []), *list(block.parents)[:2]]
    for tag in near:
        named = tag.get("data-lang") or tag.get("data-language") or tag.get("lang-name")
        classes = [str(name) for name in tag.get_attribute_list("class")]
        match = _LANGUAGE.search(" ".join(classes))
        plain = next((name for name in classes if name in _LANGUAGES), "")
        found = str(named) if named else match.group(1) if match else plain
        if re.fullmatch(r"[\w+#.-]{1,30}", found):
            return found
    return ""


def _tidy(text: str) -> str:
    """Without blanks at the ends of lines and without many empty lines, but for those of code."""
    lines: list[str] = []
    fence = ""
    for line in text.strip().split("\n"):
        if fence:
            lines.append(line)
            fence = "" if line.strip() == fence else fence
            continue
        begins = _FENCE.match(line)
        fence = begins.group(1) if begins else ""
        if line.strip() or (lines and lines[-1]):
            lines.append(line.rstrip())
    return "\n".join(lines)
