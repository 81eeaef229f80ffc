"""Configuration: precedence, and mistakes that name the file and the key."""

import pytest

from wrac.config import Settings, load_settings, load_site, site_from_url
from wrac.errors import ConfigError


def test_defaults_need_no_file_and_no_environment(tmp_path):
    settings = load_settings(tmp_path / "wrac.toml", environment={})
    assert (settings.embedder, settings.store, str(settings.data_dir)) == ("minilm", "", ".wrac")


def test_override_beats_environment_beats_file_beats_default(tmp_path):
    file = tmp_path / "wrac.toml"
    file.write_text('data_dir = "from-file"\nembedder = "from-file"\nchunk_max_tokens = 300\n')
    env = {"WRAC_DATA_DIR": "from-env", "WRAC_EMBEDDER": "from-env", "UNRELATED": "1"}
    settings = load_settings(file, environment=env, embedder="from-override", store=None)
    assert str(settings.data_dir) == "from-env"
    assert settings.embedder == "from-override"
    assert settings.chunk_max_tokens == 300
    assert settings.store == ""


def test_unknown_key_names_file_and_key(tmp_path):
    file = tmp_path / "wrac.toml"
    file.write_text('embeder = "minilm"\n')
    with pytest.raises(ConfigError, match=r"(?s)wrac\.toml.*embeder"):
        load_settings(file, environment={})


@pytest.mark.parametrize("content", [b"start_urls = [", b"\xff\xfe"])
def test_unreadable_toml_names_the_file(tmp_path, content):
    (tmp_path / "docs.toml").write_bytes(content)
    with pytest.raises(ConfigError, match=r"docs\.toml cannot be read"):
        load_site("docs", tmp_path)


def test_missing_profile_says_exactly_what_to_write(tmp_path):
    with pytest.raises(ConfigError) as caught:
        load_site("docs_site", tmp_path)
    message = str(caught.value)
    assert "docs_site.toml does not exist" in message
    assert 'start_urls = ["https://docs.example.org/"]' in message


@pytest.mark.parametrize("name", ["../etc/passwd", "", ".hidden", "a/b"])
def test_site_names_cannot_leave_the_folder(tmp_path, name):
    with pytest.raises(ConfigError, match="site name"):
        load_site(name, tmp_path)


def test_profile_takes_its_name_from_the_file(tmp_path):
    (tmp_path / "handbook.toml").write_text('start_urls = "https://docs.example.org/en/"\nlanguages = ["en"]\n')
    site = load_site("handbook", tmp_path)
    assert (site.name, site.start_urls, site.languages) == ("handbook", ("https://docs.example.org/en/",), ("en",))


@pytest.mark.parametrize(
    "url",
    [
        "ftp://docs.example.org/",
        "/relative",
        "https://",
        "http://[::1",
        "http://docs.example.org:99999/",
        "http://docs.example.org:port/",
        "http://docs example/",
    ],
)
def test_start_urls_are_absolute_web_addresses(tmp_path, url):
    (tmp_path / "s.toml").write_text(f'start_urls = ["{url}"]\n')
    with pytest.raises(ConfigError, match="start_urls"):
        load_site("s", tmp_path)


@pytest.mark.parametrize(
    ("url", "name", "start"),
    [
        ("https://Docs.Example.org/en/", "docs.example.org", "https://Docs.Example.org/en/"),
        ("docs.example.org/en", "docs.example.org", "https://docs.example.org/en"),
        ("http://127.0.0.1:8000/", "127.0.0.1-8000", "http://127.0.0.1:8000/"),
    ],
)
def test_a_url_needs_no_file(url, name, start):
    site = site_from_url(url)
    assert (site.name, site.start_urls) == (name, (start,))


def test_prices_come_from_the_file_or_as_json_from_the_environment(tmp_path):
    file = tmp_path / "wrac.toml"
    file.write_text('[prices."mine"]\ninput = 0.1\noutput = 0.4\n')
    assert load_settings(file, environment={}).prices["mine"].output == 0.4
    env = {"WRAC_PRICES": '{"mine": {"input": 1, "output": 2, "cached": 0.5}}'}
    price = load_settings(file, environment=env).prices["mine"]
    assert (price.input, price.cached, price.output) == (1, 0.5, 2)


@pytest.mark.parametrize("text", ["not json", "[]", '{"mine": {"input": 1}}', '{"mine": {"input": -1, "output": 2}}'])
def test_a_price_that_cannot_be_read_names_the_key(tmp_path, text):
    with pytest.raises(ConfigError, match="prices"):
        load_settings(tmp_path / "wrac.toml", environment={"WRAC_PRICES": text})


@pytest.mark.parametrize("sizes", ["chunk_target_tokens = 500", "chunk_min_tokens = 200", "chunk_max_tokens = 100"])
def test_a_token_window_out_of_order_ends_before_any_work(tmp_path, sizes):
    file = tmp_path / "wrac.toml"
    file.write_text(sizes + "\n")
    with pytest.raises(ConfigError, match=sizes.partition(" ")[0]):
        load_settings(file, environment={})


def test_languages_are_compared_by_their_primary_subtag(tmp_path):
    (tmp_path / "s.toml").write_text('start_urls = "https://docs.example.org/"\nlanguages = ["EN", "pt-BR"]\n')
    assert load_site("s", tmp_path).languages == ("en", "pt")


@pytest.mark.parametrize("line", ['keep = ["div["]', 'strip = [".a", ">"]', 'main = "#1:::"'])
def test_what_is_no_selector_ends_before_any_work(tmp_path, line):
    (tmp_path / "s.toml").write_text(f'start_urls = "https://docs.example.org/"\n{line}\n')
    with pytest.raises(ConfigError, match=rf"(?s)s\.toml.*{line.partition(' ')[0]}.*no CSS selector"):
        load_site("s", tmp_path)


@pytest.mark.parametrize("url", ["http://[bad", "https://[::1/"])
def test_a_url_that_cannot_be_read_is_a_mistake_of_its_own(url):
    with pytest.raises(ConfigError, match="is no URL"):
        site_from_url(url)


def test_a_mistake_in_a_variable_is_not_laid_to_a_file(tmp_path):
    with pytest.raises(ConfigError, match=r"^the configuration is not valid:\n  workers \(WRAC_WORKERS\): "):
        load_settings(tmp_path / "wrac.toml", environment={"WRAC_WORKERS": "many"})
    (tmp_path / "wrac.toml").write_text("chunk_max = 3\n")
    with pytest.raises(ConfigError) as caught:
        load_settings(tmp_path / "wrac.toml", environment={"WRAC_WORKERS": "many"})
    assert str(caught.value).startswith(f"{tmp_path / 'wrac.toml'} is not valid:\n")
    assert "\n  chunk_max: there is no such key; did you mean chunk_max_tokens?" in str(caught.value)
    assert "\n  workers (WRAC_WORKERS): " in str(caught.value)


def test_where_the_collection_lies_is_told_without_credentials():
    assert Settings(store="https://me:secret@qdrant.example.org:6333/x").store_place == (
        "https://qdrant.example.org:6333/x"
    )
    assert Settings(data_dir="there").store_place == "there/qdrant"


@pytest.mark.parametrize("who", ["clerk:s3cret@", "s3cret@", "clerk:s3cr@s3cret@"])
def test_credentials_in_a_start_url_are_refused_and_not_repeated(tmp_path, who):
    url = f"https://{who}docs.example.org/a@b"
    (tmp_path / "s.toml").write_text(f'start_urls = ["{url}"]\n')
    for load in (lambda: load_site("s", tmp_path), lambda: site_from_url(url)):
        with pytest.raises(ConfigError, match=r"(?s)start_urls.*https://docs\.example\.org/a@b .*\[auth\]") as caught:
            load()
        assert "s3cret" not in str(caught.value)
        assert "s3cret" not in str(caught.value.__cause__)


def test_an_at_sign_behind_the_host_is_no_credential():
    assert site_from_url("https://docs.example.org/@me/").start_urls == ("https://docs.example.org/@me/",)


def test_a_start_url_that_cannot_be_used_is_named_without_its_password(tmp_path):
    (tmp_path / "s.toml").write_text('start_urls = ["http://me:s3cret@docs.example.org:99999/"]\n')
    with pytest.raises(ConfigError, match="start_urls") as caught:
        load_site("s", tmp_path)
    assert "s3cret" not in str(caught.value)


@pytest.mark.parametrize(
    "line",
    [
        "delay = inf",
        "delay = nan",
        "delay = -0.1",
        "timeout = inf",
        "concurrency = 1000000",
        "max_pages = 0",
        'max_pages = "many"',
        "max_body_mib = -1",
        "keep = 5",
        "main = []",
    ],
)
def test_a_profile_value_that_no_crawl_can_use_names_the_key(tmp_path, line):
    (tmp_path / "s.toml").write_text(f'start_urls = ["https://docs.example.org/"]\n{line}\n')
    with pytest.raises(ConfigError, match=rf"s\.toml is not valid:\n  {line.partition(' ')[0]}: "):
        load_site("s", tmp_path)


@pytest.mark.parametrize("name", ["workers", "planner_timeout", "max_run_dollars", "window_tokens"])
@pytest.mark.parametrize("value", ["inf", "nan", "-1", "1e999", "", "many"])
def test_an_environment_value_that_no_run_can_use_names_the_key(tmp_path, name, value):
    with pytest.raises(ConfigError, match=name):
        load_settings(tmp_path / "wrac.toml", environment={f"WRAC_{name.upper()}": value})


def test_workers_beyond_any_machine_are_refused(tmp_path):
    with pytest.raises(ConfigError, match="workers"):
        load_settings(tmp_path / "wrac.toml", environment={"WRAC_WORKERS": "100000000"})
