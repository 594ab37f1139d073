import { describe, expect, it } from "vitest";
import { errorBody } from "../../server/http/answers.ts";
import { ApiError } from "../../src/contract/errors.ts";
import { createOpenApi } from "../../src/openapi/document.ts";
import { additions } from "./additions.ts";

/** Names below a path, written as one text. */
const below = (path: string, names: string): string[] => names.split(" ").map((name) => `${path}.${name}`);

const faq = "id question answer sortOrder".split(" ");
const slot =
  "slotId cycleId status app app.name app.iconUrl app.packageName app.optInUrl dayIndex durationDays cycleStatus missedDays lastProofDayIndex joinCheckPending requestExpiresAt verificationTier testKey";

/** The fields of each answer that the specification names, written from it alone. */
const specified: Readonly<Record<string, readonly string[]>> = {
  "POST /api/v1/feedback/remote": ["success"],
  "GET /api/v1/faqs/remote": [...faq, "createdAt", "updatedAt"].map((name) => `[].${name}`),
  "POST /api/v1/faqs/remote": faq,
  "PATCH /api/v1/faqs/remote/{faqId}": faq,
  "DELETE /api/v1/faqs/remote/{faqId}": ["success"],
  "GET /api/v1/changelog/remote": [
    "entries",
    ...below("entries[]", "id title version versions versions[].platform versions[].version releaseType"),
    ...below("entries[]", "bodyFormat body items items[].type items[].text publishedAt"),
  ],
  "POST /api/v1/testing/sdk/session": "matched counted dayIndex reason".split(" "),
  "GET /api/v1/testing/sdk/session":
    "matched counted dayIndex durationDays countedToday daysCounted dueBy".split(" "),
  "POST /api/v1/testing/auth/exchange":
    "token expiresAt scopes profile profile.timezone profile.isTester".split(" "),
  "GET /api/v1/testing/me/tasks": [
    ...["tasks", "outstanding"],
    ...below("tasks[]", "slotId cycleId listingId appName iconUrl packageName optInUrl testBrief dayIndex"),
    ...below("tasks[]", "durationDays targetScreen dueBy submitted slotStatus missedDays joinCheckPending"),
    ...below("tasks[]", "verificationTier testKey"),
  ],
  "GET /api/v1/testing/me/slots": ["slots", ...below("slots[]", slot)],
  "POST /api/v1/testing/proofs": [],
  // It contains a slot, whose fields the specification names.
  "POST /api/v1/testing/slots/{slotId}/request": below("slot", slot),
  "GET /api/v1/agent/feedback/{id}": [
    ...["app", "app.id", "app.name", "feedback", "messages", "latestProposal"],
    ...below("feedback", "id consoleUrl subject message category status metadata images attachments"),
    "feedback.githubIssueUrl",
    ...below("messages[]", "direction body createdAt"),
  ],
  "POST /api/v1/agent/feedback/{id}/proposal": ["runId", "status", "pollUrl"],
  "GET /api/v1/agent/runs/{runId}": ["id", "status", "decisionNote", "decidedAt"],
};

interface Schema {
  readonly $ref?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
}

const document = Object(await createOpenApi("http://127.0.0.1:4700"));

/** Every field of a schema as a path, in the order in which they are declared. */
function fieldsOf(schema: Schema, path = ""): string[] {
  const { $ref, properties = {}, items, anyOf = [], oneOf = [] } = schema;
  if ($ref !== undefined) return fieldsOf(document.components.schemas[$ref.split("/").at(-1) ?? ""], path);
  const own = Object.entries(properties).flatMap(([name, child]) => {
    const at = path === "" ? name : `${path}.${name}`;
    return [at, ...fieldsOf(child, at)];
  });
  const others = [...anyOf, ...oneOf].flatMap((child) => fieldsOf(child, path));
  return [...new Set([...own, ...(items ? fieldsOf(items, `${path}[]`) : []), ...others])];
}

interface Operation {
  readonly operationId: string;
  readonly address: string;
  readonly fields: readonly string[];
}

/** The operations outside the console, with the fields of their success. */
const operations: readonly Operation[] = Object.entries(document.paths).flatMap(([path, methods]) =>
  path.startsWith("/api/v1/console/") || path === "/tavern/authorize"
    ? []
    : Object.entries(Object(methods)).map(([method, operation]) => {
        const { operationId, responses } = Object(operation);
        const { content } = responses[200] ?? responses[201];
        const fields = fieldsOf(content["application/json"].schema);
        return { operationId, address: `${method.toUpperCase()} ${path}`, fields };
      }),
);

describe("the list of the additions to the specification", () => {
  const listed: Readonly<Record<string, readonly string[]>> = additions.fields;

  it("contains exactly the fields that answers of the contract have in addition", () => {
    for (const { operationId, address, fields } of operations) {
      const known = specified[address];
      if (!known) continue;
      const added = fields.filter((field) => !known.includes(field));
      expect.soft(added.toSorted(), operationId).toEqual([...(listed[operationId] ?? [])].toSorted());
    }
  });

  it("is complete: answers have every field of the specification", () => {
    for (const { address, fields } of operations)
      expect.soft(fields, address).toEqual(expect.arrayContaining([...(specified[address] ?? [])]));
    expect(operations.map(({ address }) => address)).toEqual(expect.arrayContaining(Object.keys(specified)));
  });

  it("contains the same added endpoints as the contract", () => {
    const added = operations.filter(({ address }) => !specified[address]);
    expect(added.map(({ operationId }) => operationId).toSorted()).toEqual(
      [...additions.endpoints].toSorted(),
    );
  });

  it("has no entry for an endpoint that the specification does not have", () => {
    const known = operations.filter(({ address }) => specified[address]);
    const names = known.map(({ operationId }) => operationId);
    expect(Object.keys(listed).filter((operationId) => !names.includes(operationId))).toEqual([]);
  });

  it("contains the same added fields of errors as the contract", () => {
    const ofSpecification = ["error", "code", "dayIndex", "reasons"];
    const declared = fieldsOf(document.components.schemas.Error).filter((field) => !field.includes("[]"));
    expect(declared.toSorted()).toEqual([...ofSpecification, ...additions.errorFields].toSorted());
  });

  it("contains every field that the server writes into an error in addition", () => {
    const told = { issues: [], dayIndex: 1, runId: null, mayResume: true, entryId: "0", step: "0" } as const;
    const details = { ...told, reasons: [], retryAfterSeconds: 1, allow: [], isPassing: true };
    const written = Object.keys(errorBody(new ApiError("busy", details)));
    // An error 500 also has the id of its request.
    expect([...written, "requestId"].toSorted()).toEqual(
      ["error", "code", "dayIndex", "reasons", ...additions.errorFields].toSorted(),
    );
  });
});
