import { createPublicKey } from "node:crypto";
import { CompactSign, SignJWT, UnsecuredJWT } from "jose";
import { describe, expect, it } from "vitest";
import { createAttest } from "../../server/access/sign-in/attestation.ts";
import { attestationOf } from "../../server/settings/read-settings.ts";
import {
  encrypt,
  goodVerdict,
  makePlayKeys,
  makePlayToken,
  playEnvironment,
} from "../support/sign-in/play-integrity.ts";

const keys = makePlayKeys();
const strangers = makePlayKeys();
const attest = createAttest(attestationOf(playEnvironment(keys)));
const bound = {
  code: "a code",
  subject: "a code",
  deviceId: "a device",
  now: new Date("2026-11-21T12:00:00.000Z"),
};
const verdict = goodVerdict(bound);
const judge = (integrityToken: string | undefined) => attest({ ...bound, integrityToken });
const sign = (alg: string, key: Parameters<SignJWT["sign"]>[0], header = {}) =>
  new SignJWT(verdict).setProtectedHeader({ ...header, alg }).sign(key);
const good = () => sign("ES256", keys.privateKey);
const unrecognized = ["app_not_recognized"];

describe("attestation that is turned off", () => {
  it("accepts every device with every token", async () => {
    const off = createAttest({ kind: "off" });
    expect(await off({ ...bound, integrityToken: undefined })).toEqual([]);
    expect(await off({ ...bound, integrityToken: "forged" })).toEqual([]);
  });
});

describe("attestation with Play Integrity", () => {
  it("accepts a token from Google about the right app on a genuine device", async () => {
    expect(await judge(await makePlayToken(verdict, keys))).toEqual([]);
  });

  it("accepts the token of a standard request of the Play Integrity API", async () => {
    const { nonce: requestHash, ...details } = verdict.requestDetails;
    const payload = { ...verdict, requestDetails: { ...details, requestHash } };
    expect(await judge(await makePlayToken(payload, keys))).toEqual([]);
  });

  it.each([
    ["another code", { code: "another code" }],
    ["another device", { deviceId: "another device" }],
  ])("refuses the token of %s", async (_, other) => {
    const token = await makePlayToken(goodVerdict({ ...bound, ...other }), keys);
    expect(await judge(token)).toEqual(unrecognized);
  });

  it("expects the SHA-256 of code, line feed and device id in base64url in the token", () => {
    expect(verdict.requestDetails.nonce).toBe("V5tWiwx1ki5grGdImSVIKrt-0djt_o1dWqDZ2iO_wG0");
  });

  it("returns both reasons if device and app fail", async () => {
    const token = await makePlayToken({ ...verdict, deviceIntegrity: {}, appIntegrity: {} }, keys);
    expect(await judge(token)).toEqual(["device_integrity_failed", "app_not_recognized"]);
  });

  it("returns one reason if only the device fails", async () => {
    const token = await makePlayToken({ ...verdict, deviceIntegrity: {} }, keys);
    expect(await judge(token)).toEqual(["device_integrity_failed"]);
  });

  it.each<[string, () => Promise<string>]>([
    [
      "is signed with another key",
      async () => encrypt(await sign("ES256", strangers.privateKey), keys.decryption),
    ],
    ["is encrypted with another key", async () => encrypt(await good(), strangers.decryption)],
    ["had a bit flipped", async () => flipped(await makePlayToken(verdict, keys))],
    ["was cut short", async () => (await makePlayToken(verdict, keys)).slice(0, -40)],
    [
      "is encrypted with A256CBC-HS512",
      async () => encrypt(await good(), keys.decryption, { alg: "A256KW", enc: "A256CBC-HS512" }),
    ],
    [
      "is encrypted directly with the key",
      async () => encrypt(await good(), keys.decryption, { alg: "dir", enc: "A256GCM" }),
    ],
    [
      "is signed by HMAC with the public key",
      async () => encrypt(await sign("HS256", Buffer.from(keys.verificationKey, "base64")), keys.decryption),
    ],
    ["is signed but not encrypted", good],
    ["is not signed", async () => encrypt(new UnsecuredJWT(verdict).encode(), keys.decryption)],
    ["holds no signature at all", async () => encrypt(JSON.stringify(verdict), keys.decryption)],
    ["is empty", async () => ""],
    ["is not a token", async () => "a.b.c.d.e"],
    ["is larger than 16 KiB", async () => makePlayToken({ ...verdict, more: "a".repeat(12_000) }, keys)],
  ])("refuses a token that %s", async (_, forge) => {
    expect(await judge(await forge())).toEqual(unrecognized);
  });

  it("ignores a key that the token names", async () => {
    const jwk = createPublicKey(strangers.privateKey).export({ format: "jwk" });
    const forged = await sign("ES256", strangers.privateKey, { jwk, kid: "google" });
    expect(await judge(await encrypt(forged, keys.decryption))).toEqual(unrecognized);
  });

  it("refuses a request without a token", async () => {
    expect(await judge(undefined)).toEqual(unrecognized);
  });

  it("refuses a payload that is no JSON", async () => {
    const signed = await new CompactSign(Buffer.from("{"))
      .setProtectedHeader({ alg: "ES256" })
      .sign(keys.privateKey);
    expect(await judge(await encrypt(signed, keys.decryption))).toEqual(unrecognized);
  });
});

/** A token with one bit of its encrypted part changed. */
function flipped(token: string): string {
  const parts = token.split(".");
  const bytes = Buffer.from(parts[3] ?? "", "base64url");
  bytes.writeUInt8(bytes.readUInt8(100) ^ 1, 100);
  return parts.with(3, bytes.toString("base64url")).join(".");
}
