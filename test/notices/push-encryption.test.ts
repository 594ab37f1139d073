import { createECDH } from "node:crypto";
import { expect, it } from "vitest";
import { outcomeOf } from "../../server/notices/browsers/rules.ts";
import { encryptedFor, isPublicKey } from "../../server/notices/browsers/worker.ts";

it("the push encryption of the example in RFC 8291 gives the result of the RFC", () => {
  const own = createECDH("prime256v1");
  own.setPrivateKey("yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw", "base64url");
  const encrypted = encryptedFor(
    {
      p256dh: "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
      auth: "BTBZMqHH6r4Tts7J_aSIgg",
    },
    "When I grow up, I want to be a watermelon",
    { salt: Buffer.from("DGv6ra1nlYgDCS1FRnbzlw", "base64url"), own },
  );
  expect(encrypted.toString("base64url")).toBe(
    [
      "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27ml",
      "mlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPT",
      "pK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN",
    ].join(""),
  );
});

it("the public key of a browser is checked", () => {
  const key = createECDH("prime256v1").generateKeys("base64url", "uncompressed");
  expect(isPublicKey(key)).toBe(true);
  expect(isPublicKey(createECDH("prime256v1").generateKeys("base64url", "compressed"))).toBe(true);
  for (const wrong of ["", "AA", `${key.slice(0, -2)}AA`, createECDH("secp384r1").generateKeys("base64url")])
    expect(isPublicKey(wrong)).toBe(false);
});

it.each([
  [201, undefined, 1, { kind: "sent" }],
  [204, undefined, 1, { kind: "sent" }],
  [404, undefined, 1, { kind: "gone" }],
  [410, "5", 1, { kind: "gone" }],
  [400, undefined, 1, { kind: "refused" }],
  [413, undefined, 1, { kind: "refused" }],
  [null, undefined, 1, { kind: "again", at: new Date("2026-01-01T12:00:05Z") }],
  [500, undefined, 3, { kind: "again", at: new Date("2026-01-01T12:00:20Z") }],
  [403, undefined, 200, { kind: "again", at: new Date("2026-01-01T13:00:00Z") }],
  [307, "never", 1, { kind: "again", at: new Date("2026-01-01T12:00:05Z") }],
  [429, "2", 1, { kind: "again", at: new Date("2026-01-01T12:00:05Z") }],
  [429, "7200", 1, { kind: "again", at: new Date("2026-01-01T14:00:00Z") }],
  [503, "Thu, 01 Jan 2026 13:30:00 GMT", 1, { kind: "again", at: new Date("2026-01-01T13:30:00Z") }],
  [503, "Thu, 01 Jan 1970 13:30:00 GMT", 1, { kind: "again", at: new Date("2026-01-01T12:00:05Z") }],
  [503, "80000", 1, { kind: "given up", at: new Date("2026-01-02T10:13:20Z") }],
])(
  "a push service that answers %s with Retry-After %s to attempt %i causes %j",
  (status, retryAfter, tries, outcome) => {
    const [createdAt, now] = [new Date("2026-01-01T10:00:00Z"), new Date("2026-01-01T12:00:00Z")];
    expect(outcomeOf({ status, retryAfter, tries, createdAt, now })).toEqual(outcome);
  },
);
