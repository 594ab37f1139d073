import { describe, expect, it } from "vitest";
import { redactBody, redactHeaders, redactJson, redactText, redactUrl } from "../../src/client/redact.ts";

const secret = "sdk_0123456789abcdefghijABCDEFGHIJ012345";

describe("the redaction of logged requests", () => {
  it.each(["x-api-key", "authorization", "proxy-authorization", "cookie", "set-cookie"])(
    "hides the header %s",
    (name) => {
      expect(redactHeaders({ [name]: "anything", accept: "*/*" })).toEqual({
        [name]: "[redacted]",
        accept: "*/*",
      });
    },
  );

  it.each([
    "testKey",
    "code",
    "verifier",
    "token",
    "apiKey",
    "key",
    "integrityToken",
    "pushToken",
    "password",
  ])("hides the field %s at any depth of a body, and in an address", (name) => {
    expect(redactJson({ a: [{ [name]: "anything" }] })).toEqual({ a: [{ [name]: "[redacted]" }] });
    expect(redactUrl(new URL(`http://h/p?${name}=anything&day=3`))).toBe(
      `http://h/p?${name}=[redacted]&day=3`,
    );
  });

  it("keeps the code of an error readable", () => {
    expect(redactJson({ error: "No.", code: "not_found" })).toEqual({ error: "No.", code: "not_found" });
  });

  it.each(["sdk", "sdt", "sda", "sdm", "stk", "sdo", "sdr"])(
    "hides a credential that starts with %s_ at every place",
    (prefix) => {
      expect(redactText(`log: ${prefix}_AbCdEf0123456789, done`)).toBe(`log: ${prefix}_[redacted], done`);
    },
  );

  it("hides a credential within another text of a body", () => {
    expect(redactBody(JSON.stringify({ message: `my key ${secret}` }))).toBe(
      '{"message":"my key sdk_[redacted]"}',
    );
  });

  it("shows the name of a file in place of its content", () => {
    const images = [`data:image/png;base64,${"A".repeat(2_097_152)}`, "data:image/gif;base64,AAAA"];
    expect(redactJson({ images })).toEqual({ images: ["<image/png 1.5 MB>", "<image/gif 3 bytes>"] });
  });

  it("shows only the length of a body that is no JSON", () => {
    expect(redactBody(`token=${secret}`)).toBe("[46 characters, not JSON]");
  });
});
