import { type McpServer, ResourceTemplate } from "@modelcontextprotocol/server";
import type { Deps } from "./deps.ts";

const uris = {
  proposals: "innkeep://proposals",
  queue: "innkeep://queue",
  feedback: "innkeep://feedback/{id}",
  image: "innkeep://feedback/{id}/images/{index}",
  run: "innkeep://runs/{run_id}",
} as const;

const cacheHint = { ttlMs: 0, cacheScope: "private" } as const;

/** What a client can read without a tool: the queue, threads, their images, decisions, and the proposals of this machine. */
export function offerResources(server: McpServer, deps: Deps): void {
  const complete = completions(deps);

  if (deps.keepsRecord) offerRecord(server, deps);
  server.registerResource(
    "queue",
    uris.queue,
    {
      title: "What there is to do",
      description: "Approved plans, asked changes, and open threads; has text written by the public",
      mimeType: "text/plain",
      cacheHint,
    },
    async (uri, { mcpReq }) => (await reading()).readQueue({ uri, deps, signal: mcpReq.signal }),
  );
  server.registerResource(
    "feedback",
    new ResourceTemplate(uris.feedback, { list: undefined, complete: { id: complete.feedback } }),
    {
      title: "Feedback thread",
      description: "Has text written by the public",
      mimeType: "text/plain",
      cacheHint,
    },
    async (uri, { id }, { mcpReq }) =>
      (await reading()).readThreadText({ uri, deps, signal: mcpReq.signal }, String(id)),
  );
  server.registerResource(
    "feedback image",
    new ResourceTemplate(uris.image, { list: undefined, complete: { id: complete.feedback } }),
    { title: "Image of a feedback thread", cacheHint },
    async (uri, { id, index }, { mcpReq }) =>
      (await reading()).readImage({ uri, deps, signal: mcpReq.signal }, String(id), Number(index)),
  );
  server.registerResource(
    "run",
    new ResourceTemplate(uris.run, { list: undefined, complete: { run_id: complete.run } }),
    { title: "Decision on a plan", mimeType: "application/json", cacheHint },
    async (uri, { run_id }, { mcpReq }) =>
      (await reading()).readDecision({ uri, deps, signal: mcpReq.signal }, String(run_id)),
  );
}

function offerRecord(server: McpServer, deps: Deps): void {
  server.registerResource(
    "proposals",
    uris.proposals,
    {
      title: "Proposals from this machine",
      description: "What was proposed from here, with the status last seen; newest last",
      mimeType: "application/json",
      cacheHint,
    },
    async (uri) => (await reading()).readProposals(uri, deps),
  );
}

const reading = () => import("./read-resource.ts");

function completions({ proposals }: Pick<Deps, "proposals">) {
  const startingWith = async (field: "feedback_id" | "run_id", typed: string): Promise<string[]> => {
    const values = (await proposals.all()).map((record) => record[field]).toReversed();
    return [...new Set(values)].filter((value) => value.startsWith(typed.toLowerCase()));
  };
  return {
    feedback: (typed: string) => startingWith("feedback_id", typed),
    run: (typed: string) => startingWith("run_id", typed),
  };
}
