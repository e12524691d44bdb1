"""Reports in a browser: headless Chromium, if it is installed."""

import re
import shutil
import subprocess

import pytest
from conftest import ROOT

ANNDATA = ROOT / "testdata" / "anndata"
SOURCES = {
    "text": (ROOT / "examples" / "pbmc_10x_v3_mtx", "507 rows × 1,107 columns"),
    "embedding": (ANNDATA / "valid" / "0.12.19" / "h5ad" / "full_csr.h5ad", "X_umap of all 11 cells"),
    "broken": (ANNDATA / "malformed" / "no_data.h5ad", "one error was found"),
}

BROWSERS = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"]


@pytest.fixture(scope="module")
def browser():
    found = next(filter(None, map(shutil.which, BROWSERS)), None)
    if found is None:
        pytest.skip("no Chromium is installed")
    return found


def rendered(browser, page, tmp_path, *options):
    """Returns the document as the browser sees it, and its messages."""
    command = [browser, "--headless=new", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr"]
    command += [f"--user-data-dir={tmp_path / 'profile'}", "--dump-dom", *options, page.as_uri()]
    done = subprocess.run(command, capture_output=True, timeout=120)
    return done.stdout.decode(), done.stderr.decode()


@pytest.mark.parametrize("source", SOURCES)
def test_a_report_is_complete_in_a_browser(nnz, browser, source, tmp_path):
    page = tmp_path / "page.html"
    path, part = SOURCES[source]
    assert nnz.run("report", path, page).returncode == (source == "broken")
    written = page.read_text()
    shown, messages = rendered(browser, page, tmp_path)
    # The browser closes and moves elements that are not nested.
    for element in ["svg", "path", "section", "table", "tr", "td", "th", "figure", "title", "li"]:
        assert len(re.findall(f"<{element}[ >]", shown)) == len(re.findall(f"<{element}[ >]", written)), element
    assert "CONSOLE" not in messages
    text = re.sub("<[^>]*>", " ", shown)
    assert part in text


@pytest.mark.parametrize("source", SOURCES)
def test_a_report_fits_a_narrow_screen(nnz, browser, source, tmp_path):
    page = tmp_path / "page.html"
    nnz.run("report", SOURCES[source][0], page)
    # The page itself has no horizontal scroll bar; only tables have.
    probe = "<script>document.title = document.documentElement.scrollWidth - innerWidth</script></body>"
    narrow = tmp_path / "narrow.html"
    narrow.write_text(page.read_text().replace("</body>", probe))
    shown, _ = rendered(browser, narrow, tmp_path, "--window-size=500,900")
    assert int(re.search("<title>(-?[0-9]+)</title>", shown)[1]) <= 0
