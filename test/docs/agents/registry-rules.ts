import { z } from "zod";

/** The rules for an entry of the MCP registry, for the fields of our entry. A field that is not here is an error. */

const input = {
  description: z.string().optional(),
  isRequired: z.boolean().optional(),
  isSecret: z.boolean().optional(),
  format: z.enum(["string", "number", "boolean", "filepath"]).optional(),
  placeholder: z.string().optional(),
  default: z.string().optional(),
  value: z.string().optional(),
};

const variables = z.record(z.string(), z.strictObject(input)).optional();
const named = z.strictObject({ ...input, name: z.string().min(1), variables });

const positional = z
  .strictObject({ ...input, type: z.literal("positional"), valueHint: z.string().optional(), variables })
  .refine(
    ({ value, valueHint }) => value !== undefined || valueHint !== undefined,
    "needs value or valueHint",
  );

const exactVersion = z.string().regex(/^\d+\.\d+\.\d+(-[\w.]+)?$/);

const Package = z.strictObject({
  registryType: z.enum(["npm", "pypi", "oci", "nuget", "mcpb"]),
  registryBaseUrl: z.url(),
  identifier: z.string().min(1),
  version: exactVersion,
  runtimeHint: z.string(),
  packageArguments: z.array(positional),
  transport: z.strictObject({ type: z.literal("stdio") }),
  environmentVariables: z.array(named),
});

const Remote = z
  .strictObject({
    type: z.enum(["streamable-http", "sse"]),
    url: z.string().regex(/^https?:\/\/\S+$/),
    variables,
    headers: z.array(named),
  })
  .refine(({ url, variables = {} }) => unknownNames(url, variables).length === 0, "names unknown variables");

/** The rules for `server.json`, and those that the registry adds for npm. */
export const RegistryEntry = z.strictObject({
  $schema: z.literal("https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"),
  name: z
    .string()
    .min(3)
    .max(200)
    .regex(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/),
  title: z.string().min(1).max(100),
  description: z.string().min(1).max(100),
  version: exactVersion,
  websiteUrl: z.url(),
  repository: z.strictObject({ url: z.url(), source: z.literal("github") }),
  packages: z.array(Package).min(1).optional(),
  remotes: z.array(Remote),
});

/** The names in braces that have no variable. */
export const unknownNames = (template: string, known: object): string[] =>
  [...template.matchAll(/\{(\w+)\}/g)].flatMap(([, name = ""]) => (name in known ? [] : [name]));
