"""What the worker does with a queued call: run the tool, read the resource, complete the variable.

This module brings in everything that needs the database; the server loads it after it has said hello.
"""

from __future__ import annotations

from fgraph import errors
from fgraph.mcp import answers, failures, resources, tools
from fgraph.mcp.arguments import decode
from fgraph.mcp.call import Call
from fgraph.mcp.completion import complete
from fgraph.mcp.jobs import Cancelled
from fgraph.mcp.loop import WriterBusy, complain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from fgraph.mcp.call import Progress
    from fgraph.mcp.embedder import Embedder
    from fgraph.mcp.host import Host
    from fgraph.mcp.jobs import Job, Jobs


def perform(host: Host, embedder: Embedder | None, job: Job, jobs: Jobs, progress: Progress) -> dict:
    """The result of one queued call; `Cancelled` where the client gave it up."""
    try:
        if job.method == "tools/call":
            return _run_tool(Call(host, embedder, job, jobs, progress), job)
        if job.method == "resources/read":
            return resources.read(host, job.call, job.context)
        return complete(host, *job.call)
    except errors.FGraphError as error:
        if job.abort:
            raise Cancelled from error
        raise failures.refuse(error) from error


def _run_tool(call: Call, job: Job) -> dict:
    name, arguments = job.call
    try:
        answer = tools.TOOLS[name](call, decode(name, arguments))
        found = answers.result(answer, job.context.has_links)
    except errors.FGraphError as error:
        if job.abort:
            raise
        found = failures.result(failures.body(error))
        if error.code == "writer_busy" and job.writes:
            raise WriterBusy(found) from error
        return found
    except Cancelled:
        raise
    except Exception as failure:
        complain(failure)
        return failures.result(failures.internal(name))
    if not job.writes:
        call.host.was_read()
    return found
