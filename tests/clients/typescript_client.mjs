// Carries the plan out with the official TypeScript client: typescript_client.mjs {1|2|2-auto} PLAN COMMAND...
import { readFileSync } from "node:fs";

const [, , which, planFile, command, ...args] = process.argv;
const plan = JSON.parse(readFileSync(planFile, "utf8"));

async function connected() {
  const info = { name: "plan", version: "1.0.0" };
  if (which === "1") {
    const { Client } = await import("@modelcontextprotocol/sdk/client/index.js");
    const { StdioClientTransport } = await import("@modelcontextprotocol/sdk/client/stdio.js");
    const client = new Client(info, { capabilities: {} });
    await client.connect(new StdioClientTransport({ command, args }));
    return client;
  }
  const { Client } = await import("@modelcontextprotocol/client");
  const { StdioClientTransport } = await import("@modelcontextprotocol/client/stdio");
  const options = which === "2-auto" ? { versionNegotiation: { mode: "auto" } } : {};
  const client = new Client(info, { capabilities: {}, ...options });
  await client.connect(new StdioClientTransport({ command, args }));
  return client;
}

async function one(client, step, state) {
  if (step.call) {
    const given = Object.fromEntries(
      Object.entries(step.arguments).map(([key, value]) => [key, value === "$basis" ? state.basis : value]),
    );
    const result = await client.callTool({ name: step.call, arguments: given });
    const text = result.content[0].text;
    if (result.isError) return JSON.parse(text).error.code;
    if (text !== JSON.stringify(result.structuredContent)) return "the two blocks differ";
    state.basis = Math.max(state.basis, result.structuredContent.basis_tx);
    return "ok";
  }
  try {
    if (step.read) {
      JSON.parse((await client.readResource({ uri: step.read })).contents[0].text);
    } else {
      const ref = { type: "ref/resource", uri: step.complete };
      const found = await client.complete({ ref, argument: { name: step.name, value: step.value } });
      if (found.completion.values.length === 0) return "no values";
    }
    return "ok";
  } catch (failure) {
    return typeof failure.code === "number" ? "error" : String(failure);
  }
}

const client = await connected();
const listed = await client.listTools();
await client.listResources();
await client.listResourceTemplates();
console.log(`protocol: ${client.getNegotiatedProtocolVersion?.() ?? client.transport?.protocolVersion ?? "handshake"}`);
console.log(`tools: ${listed.tools.length}`);
const state = { basis: 64 };
let failures = 0;
for (const step of plan) {
  const outcome = await one(client, step, state);
  if (outcome !== step.expect) {
    failures += 1;
    console.log(`UNEXPECTED ${outcome}: ${JSON.stringify(step)}`);
  }
}
console.log(`steps: ${plan.length}, unexpected: ${failures}`);
await client.close();
process.exit(failures ? 1 : 0);
