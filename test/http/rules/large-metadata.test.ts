import { describe, expect, it } from "vitest";
import { anything, parseStrictJson, withoutLargeMetadata } from "../../../server/http/body/strict-json.ts";
import { fitMetadata } from "../../../src/contract/feedback.ts";
import { fieldsOf } from "../../../src/contract/json.ts";

const list = (element: string, length: number) => `[${Array(length).fill(element).join(",")}]`;
const members = (length: number, value = "1") =>
  Array.from({ length }, (_, at) => `"k${at}":${value}`).join(",");

const fitted = (value: unknown) => fitMetadata(fieldsOf(value));

const readAs = {
  "a field of a report": (metadata: string) =>
    fieldsOf(parseStrictJson(Buffer.from(`{"a":[1],"metadata":${metadata},"z":"x"}`), "metadata")).metadata,
  "a text of its own": (metadata: string) => parseStrictJson(Buffer.from(metadata), anything),
};

describe.each(Object.entries(readAs))("metadata that is read as %s", (_, read) => {
  it.each([
    ["an entry of 20,000 values", `{"a":1,"b":${list("1", 20_000)},"c":"x"}`],
    ["an entry that is also too deep", `{"a":${list("[[[[[1]]]]]", 8_000)},"c":"x"}`],
    ["an entry that is exactly deep enough", `{"a":${list("[[[1]]]", 8_000)},"c":"x"}`],
    ["an entry that is one level too deep", `{"a":${list("[[[[1]]]]", 8_000)},"c":"x"}`],
    ["signs in texts", `{"a":"${'[{,:\\"]}'.repeat(20_000)}","c":"x"}`],
    ["an entry without commas", `{"c":"x","a":${"[".repeat(10_000)}${"]".repeat(10_000)}}`],
    ["many large entries", `{${members(100, list("{}", 9_000))},"c":"x"}`],
    ["30,000 entries", `{${members(30_000)},"c":"x"}`],
    ["60,000 entries", `{${members(60_000)},"c":"x"}`],
    ["400,000 entries", `{${members(400_000)}}`],
    ["entries whose names have escapes", `{"\\u0061\\"":${list("1", 20_000)},"c":"x"}`],
  ])("keeps and drops the same entries as without a limit of values: %s", (_, metadata) => {
    expect(fitted(read(metadata))).toEqual(fitted(JSON.parse(metadata)));
  });

  it("stays a list if it is a large list", () => {
    expect(Array.isArray(read(list("1", 300_000)))).toBe(true);
  });

  it("stays different if only a dropped value differs", () => {
    const large = list("1", 20_000);
    expect(read(`{"a":${large}}`)).toEqual(read(`{"a":${large}}`));
    expect(read(`{"a":${large}}`)).not.toEqual(read(`{"a":${large.replace("1", "2")}}`));
    const many = members(200_000);
    expect(read(`{${many}}`)).not.toEqual(read(`{${many.slice(0, -1)}2}`));
  });

  it.each(["[1", "{", '{"a":[', `{"a":"`, "1,1", "1:1"])("is refused if it does not end: %j", (part) => {
    const text = `${part}${",1".repeat(20_000)}`;
    expect(() => read(text)).toThrow("is not valid JSON");
  });
});

it("a report keeps its other fields if its metadata is large", () => {
  const text = `{"metadata":${list("1", 20_000)},"message":"x"}`;
  expect(parseStrictJson(Buffer.from(text), "metadata")).toMatchObject({ message: "x" });
});

it("an unchanged text is returned if all of its metadata can be kept", () => {
  const text = `{"metadata":{${members(2_000)}},"message":"x"}`;
  expect(withoutLargeMetadata(text, "metadata", 10)).toBe(text);
});

it.each([
  ["a body", undefined],
  ["a report", "metadata"],
])(
  "%s with as many structural characters as allowed is accepted, and with one more it is refused",
  (_, free) => {
    const text = (length: number) =>
      Buffer.from(`{"a":{"b":${list("[]", length)}},"c":"${" ".repeat(20_000)}"}`);
    // The three keys, and the list with its commas.
    const most = 4 + 4 + 2 + 3 * 5_000 - 1;
    expect(parseStrictJson(text(5_000), free, most)).toHaveProperty("c");
    expect(() => parseStrictJson(text(5_000), free, most - 1)).toThrow("brackets, colons and commas");
  },
);
