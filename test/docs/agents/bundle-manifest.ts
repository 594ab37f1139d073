import { packageFacts, repository } from "./package-facts.ts";

const { name, version, license, engines } = packageFacts;

/** The manifest of the bundle for one-click installation, with the tools that its server lists. */
export const bundleManifest = (tools: readonly { readonly name: string; readonly title: string }[]) => ({
  manifest_version: "0.3",
  name,
  display_name: "Innkeep",
  version,
  description: "Read user feedback, propose a plan, and act only after a person has approved it.",
  long_description:
    "Lets an assistant read a feedback thread of your Innkeep server, propose a plan on it, and wait until a person approves it in the console. Text written by the public is marked as untrusted; nothing is sent to the person who wrote the feedback.",
  author: { name: "Innkeep" },
  repository: { type: "git", url: `${repository}.git` },
  homepage: repository,
  documentation: `${repository}/blob/main/docs/agents.md`,
  support: `${repository}/issues`,
  license,
  server: {
    type: "node",
    entry_point: "dist/innkeep.cjs",
    mcp_config: {
      command: "node",
      // biome-ignore lint/suspicious/noTemplateCurlyInString: the client fills it in.
      args: ["${__dirname}/dist/innkeep.cjs", "mcp"],
      env: {
        // biome-ignore lint/suspicious/noTemplateCurlyInString: the client fills it in.
        INNKEEP_BASE_URL: "${user_config.base_url}",
        // biome-ignore lint/suspicious/noTemplateCurlyInString: the client fills it in.
        INNKEEP_AGENT_TOKEN: "${user_config.agent_token}",
        // biome-ignore lint/suspicious/noTemplateCurlyInString: the client fills it in.
        INNKEEP_MCP_WORK: "${user_config.work}",
      },
    },
  },
  tools: tools.map((tool) => ({ name: tool.name, description: tool.title })),
  // The tools for the work, if the person wants them.
  tools_generated: true,
  prompts_generated: true,
  user_config: {
    base_url: {
      type: "string",
      title: "Address of your Innkeep server",
      description: "For example https://inn.example.org",
      required: true,
    },
    agent_token: {
      type: "string",
      title: "Agent token",
      description: "Created in the console under Settings; begins with sda_",
      sensitive: true,
      required: true,
    },
    work: {
      type: "boolean",
      title: "Let the assistant claim approved plans and report how its work ended",
      description: "Needs a token that may claim approved proposals",
      default: false,
      required: false,
    },
  },
  compatibility: { platforms: ["darwin", "win32", "linux"], runtimes: { node: engines.node } },
});
