import { describe, expect, it } from "vitest";
import { errorCatalogue } from "../../src/contract/errors.ts";
import { limits } from "../../src/contract/limits.ts";
import { createOpenApi } from "../../src/openapi/document.ts";

const document = Object(await createOpenApi("http://127.0.0.1:4700"));
const { schemas } = document.components;

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly schema: Readonly<Record<string, unknown>>;
}
interface Operation {
  readonly operationId: string;
  readonly description: string;
  readonly parameters: readonly Parameter[];
  readonly responses: unknown;
}
const operations: readonly Operation[] = Object.values<object>(document.paths).flatMap((methods) =>
  Object.values(methods),
);

/** Every list of allowed values in a part of the document, including referenced parts. */
function listsIn(part: unknown): string[][] {
  if (typeof part !== "object" || part === null) return [];
  const { $ref, enum: values } = Object(part);
  if (typeof $ref === "string" && $ref.startsWith("#/components/schemas/"))
    return listsIn(schemas[$ref.split("/").at(-1) ?? ""]);
  const own = Array.isArray(values) ? [values.map(String)] : [];
  return [...own, ...Object.values(part).flatMap(listsIn)];
}

/** The OpenAPI document as generators of clients read it. `test/counterparts/openapi` checks it with linters. */
describe("the OpenAPI document", () => {
  it("has closed lists of values in answers only if the specification names the values", () => {
    const closed = operations
      .flatMap(({ responses }) => listsIn(responses))
      .map((values) => values.join(" "));
    expect([...new Set(closed)].toSorted()).toEqual([
      "awaiting_approval approved rejected",
      "major minor patch",
      "markdown items",
      // A filter that is on in a saved view.
      "true",
    ]);
  });

  it("names the codes of errors, and allows other codes", () => {
    const { code } = schemas.Error.properties;
    expect(code).toEqual({ type: "string", "x-extensible-enum": Object.keys(errorCatalogue) });
  });

  it("says for each list how many items it returns without `limit`", () => {
    const pages = operations.flatMap(({ operationId, parameters }) =>
      parameters.flatMap(({ name, schema }) => (name === "limit" ? [[operationId, schema.default]] : [])),
    );
    const { changelogPage, agentPage, listPage } = limits;
    expect(Object.fromEntries(pages)).toEqual({
      "changelog.list": changelogPage.default,
      "agent.listFeedback": agentPage.default,
      "agent.listRuns": agentPage.default,
      "tester.listings": listPage.default,
      "threads.list": listPage.default,
      "threads.listAll": listPage.default,
      "consoleChangelog.list": listPage.default,
      "audit.list": listPage.default,
      "events.list": listPage.default,
      "search.list": listPage.default,
      "webhooks.deliveries": listPage.default,
    });
    expect([changelogPage, agentPage]).toEqual([
      { default: 20, max: 50 },
      { default: 20, max: 50 },
    ]);
  });

  it("allows 50 screens in a session", () => {
    expect(schemas.SessionReport.properties.screens).toMatchObject({ type: "array", maxItems: 50 });
  });

  it("requires at least one file for a proof", () => {
    const { content } = document.paths["/api/v1/testing/proofs"].post.requestBody;
    const { properties, required } = content["multipart/form-data"].schema;
    expect(required).toEqual(["slotId", "capturedAt", "images"]);
    expect(properties.images).toMatchObject({
      ...{ type: "array", minItems: 1, maxItems: 6 },
      items: { type: "string", format: "binary" },
    });
  });

  it.each([
    ["k", true],
    ["a key with spaces", true],
    ["x".repeat(255), true],
    [`"${"x".repeat(255)}"`, true],
    ["x".repeat(256), false],
    ["", false],
    ["kéy", false],
    ["two\nlines", false],
  ])("accepts %j as an Idempotency-Key: %s", (key, isTaken) => {
    const keys = operations.flatMap(({ parameters }) =>
      parameters.filter(({ name }) => name === "Idempotency-Key"),
    );
    for (const { schema } of keys) expect(new RegExp(String(schema.pattern)).test(key)).toBe(isTaken);
    expect(keys.length).toBeGreaterThan(50);
  });

  it("describes the API, its tags and its operations", () => {
    const tags: readonly { readonly description?: string }[] = document.tags;
    expect(document.info).toMatchObject({ contact: { name: "Innkeep" }, license: { name: "MIT" } });
    expect(document.info.description).toContain("x-extensible-enum");
    expect([...tags, ...operations].filter(({ description = "" }) => description === "")).toEqual([]);
  });

  it("has no schema that is not used", () => {
    const text = JSON.stringify(document);
    const isUsed = (name: string) => text.includes(`"#/components/schemas/${name}"`);
    expect(Object.keys(schemas).filter((name) => !isUsed(name))).toEqual([]);
  });
});
