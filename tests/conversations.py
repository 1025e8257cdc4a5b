"""Conversations in the form of each protocol, and a small agent that really has them.

The agent sends requests over HTTP, does what the answers call for in a real folder, and says
what came of it, until there is an answer in words.
"""

import http.client
import json
import re
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

LISTING = "The following skills are available for use with the Skill tool:\n\n{}\n\nToday is a day."
TOOLS = {
    "Skill": {"skill": {"type": "string"}},
    "Read": {"file_path": {"type": "string"}},
    "Write": {"file_path": {"type": "string"}, "content": {"type": "string"}},
    "Bash": {"command": {"type": "string"}, "description": {"type": "string"}},
}


def schema(name):
    return {"type": "object", "properties": TOOLS[name], "required": list(TOOLS[name])}


def post(url, path, body, headers=None, method="POST"):
    """Status, headers and body of one request; the body as far as it came."""
    where = urlsplit(url)
    connection = http.client.HTTPConnection(where.hostname, where.port, timeout=20)
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    connection.request(method, where.path + path, raw, headers or {})
    answer = connection.getresponse()
    try:
        got = answer.read()
    except http.client.IncompleteRead as error:
        got = error.partial
        answer.cut = True
    connection.close()
    return answer, got


def events(raw):
    """The JSON of every event of a stream."""
    found = re.findall(rb"^data: (.*)$", raw, re.MULTILINE)
    return [json.loads(each) for each in found if each != b"[DONE]"]


class Anthropic:
    path = "/v1/messages"

    def body(self, system, turns, stream):
        messages = []
        for kind, value in turns:
            if kind == "user":
                messages.append({"role": "user", "content": value})
                messages.append({"role": "system", "content": system})
            elif kind == "call":
                id_, name, given = value
                block = {"type": "tool_use", "id": id_, "name": name, "input": given}
                messages.append({"role": "assistant", "content": [block]})
            elif kind == "result":
                id_, text, failed = value
                block = {"type": "tool_result", "tool_use_id": id_, "content": text}
                messages.append({"role": "user", "content": [{**block, "is_error": failed}]})
            else:
                messages.append({"role": "assistant", "content": [{"type": "text", "text": value}]})
        tools = [{"name": name, "input_schema": schema(name)} for name in TOOLS]
        return {"model": "m", "messages": messages, "tools": tools, "stream": stream}

    def read(self, raw, stream):
        if not stream:
            blocks = json.loads(raw)["content"]
        else:
            blocks = []
            for each in events(raw):
                if each["type"] == "content_block_start":
                    blocks.append(dict(each["content_block"]))
                elif each["type"] == "content_block_delta":
                    delta = each["delta"]
                    if delta["type"] == "text_delta":
                        blocks[-1]["text"] += delta["text"]
                    else:
                        blocks[-1]["input"] = json.loads(delta["partial_json"])
        text = "".join(each["text"] for each in blocks if each["type"] == "text")
        used = [each for each in blocks if each["type"] == "tool_use"]
        return text, [(each["id"], each["name"], each["input"]) for each in used]


class Chat:
    path = "/v1/chat/completions"

    def body(self, system, turns, stream):
        messages = [{"role": "system", "content": system}]
        for kind, value in turns:
            if kind == "call":
                id_, name, given = value
                function = {"name": name, "arguments": json.dumps(given)}
                call = {"id": id_, "type": "function", "function": function}
                messages.append({"role": "assistant", "content": None, "tool_calls": [call]})
            elif kind == "result":
                messages.append({"role": "tool", "tool_call_id": value[0], "content": value[1]})
            else:
                role = "user" if kind == "user" else "assistant"
                messages.append({"role": role, "content": [{"type": "text", "text": value}]})
        functions = [{"name": name, "parameters": schema(name)} for name in TOOLS]
        tools = [{"type": "function", "function": each} for each in functions]
        return {"model": "m", "messages": messages, "tools": tools, "stream": stream}

    def read(self, raw, stream):
        if stream:
            deltas = [c["delta"] for e in events(raw) for c in e["choices"]]
            calls = [call for delta in deltas for call in delta.get("tool_calls", ())]
            text = "".join(delta.get("content") or "" for delta in deltas)
        else:
            message = json.loads(raw)["choices"][0]["message"]
            calls, text = message.get("tool_calls", ()), message["content"] or ""
        return text, [
            (c["id"], c["function"]["name"], json.loads(c["function"]["arguments"])) for c in calls
        ]


class Responses:
    path = "/v1/responses"

    def body(self, system, turns, stream):
        given = [{"type": "message", "role": "developer", "content": system}]
        for kind, value in turns:
            if kind == "call":
                call = {"type": "function_call", "call_id": value[0], "name": value[1]}
                given.append({**call, "arguments": json.dumps(value[2])})
            elif kind == "result":
                result = {"type": "function_call_output", "call_id": value[0]}
                given.append({**result, "output": value[1]})
            else:
                role = "user" if kind == "user" else "assistant"
                block = {"type": "input_text", "text": value}
                given.append({"type": "message", "role": role, "content": [block]})
        tools = [{"type": "function", "name": n, "parameters": schema(n)} for n in TOOLS]
        return {"model": "m", "input": given, "tools": tools, "stream": stream}

    def read(self, raw, stream):
        whole = events(raw)[-1]["response"] if stream else json.loads(raw)
        text, calls = "", []
        for item in whole["output"]:
            if item["type"] == "message":
                text += item["content"][0]["text"]
            else:
                calls.append((item["call_id"], item["name"], json.loads(item["arguments"])))
        return text, calls


class Gemini:
    @property
    def path(self):
        return "/v1beta/models/m:streamGenerateContent"

    def body(self, system, turns, stream):
        contents = []
        for kind, value in turns:
            if kind == "call":
                call = {"id": value[0], "name": value[1], "args": value[2]}
                contents.append({"role": "model", "parts": [{"functionCall": call}]})
            elif kind == "result":
                came = {"error" if value[2] else "output": value[1]}
                result = {"id": value[0], "name": "x", "response": came}
                contents.append({"role": "user", "parts": [{"functionResponse": result}]})
            else:
                role = "user" if kind == "user" else "model"
                contents.append({"role": role, "parts": [{"text": value}]})
        functions = [{"name": name, "parametersJsonSchema": schema(name)} for name in TOOLS]
        instruction = {"parts": [{"text": system}]}
        tools = [{"functionDeclarations": functions}]
        return {"systemInstruction": instruction, "contents": contents, "tools": tools}

    def read(self, raw, stream):
        whole = events(raw) if stream else [json.loads(raw)]
        parts = [p for each in whole for p in each["candidates"][0]["content"]["parts"]]
        text = "".join(each.get("text", "") for each in parts)
        calls = [each["functionCall"] for each in parts if "functionCall" in each]
        return text, [(each["id"], each["name"], each["args"]) for each in calls]


FORMS = {"anthropic": Anthropic(), "chat": Chat(), "responses": Responses(), "gemini": Gemini()}


def path_of(name, stream):
    path = FORMS[name].path
    return path if stream else path.replace("streamGenerate", "generate")


@dataclass
class Agent:
    """A small agent: its tools are Skill, Read, Write and Bash, in one real folder."""

    wire: str
    url: str
    folder: Path
    stream: bool = True
    calls: list = field(default_factory=list)
    turns: list = field(default_factory=list)
    headers: dict = field(default_factory=dict)

    def system(self):
        found = sorted(self.folder.glob("skills/*/SKILL.md"))
        listed = [
            f"- {each.parent.name}: {re.search('description: (.*)', each.read_text())[1]}"
            for each in found
        ]
        where = f"Primary working directory: {self.folder}\n\n"
        return where + LISTING.format("\n".join(listed))

    def ask(self, prompt):
        """The answer to a prompt."""
        self.turns.append(("user", prompt))
        form = FORMS[self.wire]
        for _ in range(30):
            body = form.body(self.system(), self.turns, self.stream)
            path = path_of(self.wire, self.stream)
            answer, raw = post(self.url, path, body, self.headers)
            assert answer.status == 200, raw
            text, calls = form.read(raw, self.stream)
            for id_, name, given in calls:
                self.calls.append((name, given))
                self.turns.append(("call", (id_, name, given)))
                self.turns.append(("result", (id_, *self.do(name, given))))
            if not calls:
                self.turns.append(("assistant", text))
                return text
        raise AssertionError("it never answers")

    def do(self, name, given):
        """What a call comes back with, and whether it failed."""
        if name == "Skill":
            folder = self.folder / "skills" / given["skill"]
            if not (folder / "SKILL.md").exists():
                return f"Unknown skill: {given['skill']}", True
            body = (folder / "SKILL.md").read_text().split("---\n", 2)[2]
            return f"Base directory for this skill: {folder}\n\n{body}", False
        if name == "Read":
            path = Path(given["file_path"])
            return (path.read_text(), False) if path.exists() else ("File not found", True)
        if name == "Write":
            path = Path(given["file_path"])
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(given["content"])
            return "Written.", False
        shell = given["command"]
        ran = subprocess.run(shell, shell=True, cwd=self.folder, capture_output=True, check=False)
        return ran.stdout.decode(), ran.returncode != 0


SKILLS = {
    "greeting": (
        "Greets somebody with the house salute. For saying hello or welcoming a colleague.",
        "Say it.\n\n```say\n★ SALVE ★ {{prompt}}\n```\n",
    ),
    "manifest": (
        "Makes the deployment manifest of a service from a template.",
        (
            "Read [the template](templates/service.yaml).\n\n"
            "```file:out/service.yaml\n${resource:templates/service.yaml}\n```\n\n"
            "```say\nDone: ${resource:templates/service.yaml}\n```\n"
        ),
    ),
}


def write_skills(folder):
    """The two skills of these tests, in `folder`/skills."""
    for name, (description, body) in SKILLS.items():
        place = folder / "skills" / name
        place.mkdir(parents=True)
        front = f"---\nname: {name}\ndescription: {description}\n---\n"
        (place / "SKILL.md").write_text(front + body)
    template = folder / "skills/manifest/templates/service.yaml"
    template.parent.mkdir()
    template.write_text("kind: Service\n")
    return folder
