import type { Group } from "../endpoint.ts";
import { contract } from "../index.ts";
import { authorizeOperation } from "./authorize.ts";
import { errorSchema, headers, type Json, securitySchemes } from "./components.ts";
import { operation } from "./operation.ts";
import { createSchemas } from "./schemas.ts";

/**
 * The OpenAPI 3.1 document of the whole API, derived from the contract. `baseUrl` is the server's address. It takes a tenth
 * of a second: `pause` is called before each operation, so that a server can answer others.
 */
export async function createOpenApi(baseUrl: string, pause?: () => Promise<void>): Promise<Json> {
  const schemas = createSchemas();
  const paths: Record<string, Json> = {};
  const groups: [string, Group][] = Object.entries(contract);
  for (const [tag, group] of groups) {
    for (const [name, endpoint] of Object.entries(group)) {
      await pause?.();
      const path = endpoint.path.replace(/:(\w+)/g, "{$1}");
      const described = operation({ tag, name, endpoint }, schemas);
      paths[path] = { ...paths[path], [endpoint.method.toLowerCase()]: described };
    }
  }
  return {
    openapi: "3.1.0",
    info: { title: "Feedback, Support Content and Closed-Testing API", version: "1" },
    servers: [{ url: baseUrl }],
    tags: groups.map(([name]) => ({ name })),
    paths: { ...paths, ...authorizeOperation(schemas) },
    components: { securitySchemes, headers, schemas: { ...schemas.named(), Error: errorSchema } },
  };
}
