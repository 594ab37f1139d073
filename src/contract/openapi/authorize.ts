import { errorCatalogue } from "../errors.ts";
import { AuthorizeQuery, authorizePath } from "../sign-in.ts";
import { headerRefs, type Json } from "./components.ts";
import type { Schemas } from "./schemas.ts";

/** The browser's step of a sign-in. It is a page that a client opens in the system browser. */
export const authorizeOperation = (schemas: Schemas): Record<string, Json> => ({
  [authorizePath]: {
    get: {
      tags: ["signIn"],
      operationId: "signIn.authorize",
      summary: "Open in the system browser: a person signs in and approves the device",
      description:
        "A page, for the system browser. It asks the person to sign in if need be, and always to approve.",
      security: [],
      parameters: [
        ...Object.entries(AuthorizeQuery.shape).map(([name, schema]) => ({
          name,
          in: "query",
          required: schema._zod.optin !== "optional",
          schema: schemas.of(schema, "input"),
        })),
        { name: "redirect", in: "query", required: true, schema: { type: "string" } },
      ],
      responses: {
        200: { description: "A page: sign in, or approve the device", content: { "text/html": {} } },
        303: {
          description:
            "After the approval: to `redirect`, with the query `code`, and `state` where it was given",
          headers: { Location: { schema: { type: "string" } } },
        },
        400: {
          description: codes.map((code) => `\`${code}\`: ${errorCatalogue[code].message}`).join("\n\n"),
          headers: headerRefs(["X-Request-Id"]),
          content: {
            "application/json": { schema: { $ref: "#/components/schemas/Error" } },
            "text/html": {},
          },
        },
      },
    },
  },
});

const codes = ["bad_redirect", "bad_request"] as const;
