"""Carries the plan out with the official Python client: python_client.py {session|legacy|auto} PLAN COMMAND..."""

import asyncio
import json
import sys

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client


class Session:
    """The low-level session, which exists in both major versions."""

    def __init__(self, session):
        self.session = session

    async def tools(self):
        await self.session.list_resources()
        await self.session.list_resource_templates()
        return [tool.name for tool in (await self.session.list_tools()).tools]

    async def call(self, name, arguments):
        return await self.session.call_tool(name, arguments)

    async def read(self, uri):
        return await self.session.read_resource(uri)

    async def complete(self, template, name, value):
        try:
            from mcp_types import ResourceTemplateReference
        except ImportError:
            from mcp.types import ResourceTemplateReference
        reference = ResourceTemplateReference(type="ref/resource", uri=template)
        return await self.session.complete(reference, {"name": name, "value": value})


async def carry_out(client, plan):
    names = await client.tools()
    print(f"tools: {len(names)}", flush=True)
    basis, failures = 64, 0
    for step in plan:
        outcome, basis = await one(client, step, basis)
        fine = outcome == step["expect"]
        failures += not fine
        if not fine:
            print(f"UNEXPECTED {outcome}: {json.dumps(step)}", flush=True)
    print(f"steps: {len(plan)}, unexpected: {failures}", flush=True)
    return failures


async def one(client, step, basis):
    if "call" in step:
        given = {key: basis if value == "$basis" else value for key, value in step["arguments"].items()}
        result = await client.call(step["call"], given)
        is_error = getattr(result, "is_error", getattr(result, "isError", None))
        structured = getattr(result, "structured_content", getattr(result, "structuredContent", None))
        text = json.loads(result.content[0].text)
        if is_error:
            return text["error"]["code"], basis
        assert text == structured, "the two blocks differ"
        return "ok", max(basis, structured["basis_tx"])
    try:
        if "read" in step:
            found = await client.read(step["read"])
            json.loads(found.contents[0].text)
        else:
            found = await client.complete(step["complete"], step["name"], step["value"])
            assert found.completion.values
    except Exception as failure:
        if "Error" in type(failure).__name__ and not isinstance(failure, AssertionError):
            return "error", basis
        raise
    return "ok", basis


async def main(mode, plan, command):
    parameters = StdioServerParameters(command=command[0], args=command[1:])
    if mode == "session":
        async with stdio_client(parameters) as (read, write), ClientSession(read, write) as session:
            opened = await session.initialize()
            print("protocol:", getattr(opened, "protocol_version", getattr(opened, "protocolVersion", "?")))
            return await carry_out(Session(session), plan)
    from mcp import Client

    async with Client(parameters, mode=mode) as client:
        print("protocol:", client.protocol_version)
        return await carry_out(High(client), plan)


class High(Session):
    """The high-level client of version 2."""


if __name__ == "__main__":
    with open(sys.argv[2], encoding="utf-8") as file:
        steps = json.load(file)
    sys.exit(1 if asyncio.run(main(sys.argv[1], steps, sys.argv[3:])) else 0)
