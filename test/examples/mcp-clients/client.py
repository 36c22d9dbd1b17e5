"""An agent's program with the official library: it asks for an approval, and prints what it has got."""

import asyncio
import json
import os
import re
import sys

from mcp import ClientSession, StdioServerParameters, stdio_client


async def main(config: str) -> None:
    with open(config, encoding="utf-8") as file:
        server = json.load(file)["mcpServers"]["expert-relay"]
    env = {"PATH": os.environ["PATH"], **server["env"]}
    parameters = StdioServerParameters(command=server["command"], args=server["args"], env=env)
    async with stdio_client(parameters) as (read, write), ClientSession(read, write) as session:
        await session.initialize()
        tools = [tool.name for tool in (await session.list_tools()).tools]

        async def call(name: str, given: dict[str, object]) -> str:
            result = await session.call_tool(name, given)
            text = result.content[0].text
            if result.is_error:
                raise RuntimeError(text)
            return text

        form = {"type": "object", "properties": {}}
        asked = await call("ask_expert", {"question": "May I?", "form": form})
        reference = re.findall(r"HS-\w{8}", asked)[0]
        answer = ""
        while not re.match("Outcome: (accepted|declined|closed|expired)", answer):
            answer = await call("wait_for_answer", {"reference": reference, "max_seconds": 40})
        await call("close", {"reference": reference})
    print(json.dumps({"tools": tools, "answer": answer}))


asyncio.run(main(sys.argv[1]))
