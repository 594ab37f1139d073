import type { PublishedPackage } from "../../../src/cli/update.ts";
import { packageFacts, repository } from "./package-facts.ts";

const { mcpName, version } = packageFacts;

const agentToken = "Created in the console under Settings; begins with sda_.";

/**
 * The entry of the MCP registry, `server.json`: the address that every server has and, as soon as a registry has the
 * package with a name that belongs to us, the package over stdio. (rule L56)
 */
export const registryEntry = (published: PublishedPackage | null) => ({
  $schema: "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
  name: mcpName,
  title: "Innkeep",
  description: "Read user feedback, propose a plan, and act only after a person has approved it.",
  version,
  websiteUrl: `${repository}/blob/main/docs/agents.md`,
  repository: { url: repository, source: "github" },
  ...(published && { packages: packagesOf(published) }),
  remotes: [
    {
      type: "streamable-http",
      url: "https://{host}/mcp",
      variables: {
        host: {
          description: "Host and path of your Innkeep server.",
          placeholder: "inn.example.org",
          isRequired: true,
        },
      },
      headers: [
        {
          name: "Authorization",
          description: "The agent token, for clients that do not sign in by OAuth.",
          value: "Bearer {agent_token}",
          isRequired: false,
          isSecret: true,
          variables: {
            agent_token: { description: agentToken, isRequired: true, isSecret: true },
          },
        },
      ],
    },
  ],
});

const packagesOf = ({ registry, name }: PublishedPackage) => [
  {
    registryType: "npm",
    registryBaseUrl: registry,
    identifier: name,
    version,
    runtimeHint: "npx",
    packageArguments: [{ type: "positional", value: "mcp" }],
    transport: { type: "stdio" },
    environmentVariables: [
      {
        name: "INNKEEP_BASE_URL",
        description: "The address of your Innkeep server.",
        placeholder: "https://inn.example.org",
        isRequired: true,
        format: "string",
      },
      {
        name: "INNKEEP_AGENT_TOKEN",
        description: `${agentToken} Not needed after \`innkeep auth set agent-token\`.`,
        isRequired: false,
        isSecret: true,
        format: "string",
      },
    ],
  },
];
