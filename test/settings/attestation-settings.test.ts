import { describe, expect, it } from "vitest";
import { readSettings } from "../../server/settings/read-settings.ts";
import { SettingError } from "../../server/settings/settings.ts";
import { certificate, makePlayKeys, playEnvironment } from "../support/sign-in/play-integrity.ts";

const keys = makePlayKeys();
const environment = playEnvironment(keys);
const { INNKEEP_PLAY_DECRYPTION_KEY, INNKEEP_PLAY_VERIFICATION_KEY } = environment;

describe("the settings for attestation", () => {
  it("are off by default", () => {
    expect(readSettings({}, {}).attestation).toEqual({ kind: "off" });
  });

  it("contain the values for Play Integrity", () => {
    expect(readSettings({}, environment).attestation).toEqual({
      kind: "play-integrity",
      packageNames: ["com.example.lantern"],
      certificates: [certificate],
      decryptionKey: INNKEEP_PLAY_DECRYPTION_KEY,
      verificationKey: INNKEEP_PLAY_VERIFICATION_KEY,
    });
  });

  it.each([
    ["base64url", certificate],
    ["padded base64url", `${certificate}=`],
    ["the Play Console", Array(32).fill("07").join(":")],
    ["plain hexadecimal", "07".repeat(32)],
  ])("accept a certificate in the form of %s", (_, given) => {
    const settings = readSettings({}, { ...environment, INNKEEP_PLAY_CERTIFICATES: given });
    expect(settings.attestation).toMatchObject({ certificates: [certificate] });
  });

  it("accept several apps and certificates, separated by commas", () => {
    const two = { INNKEEP_PLAY_PACKAGES: "com.example.lantern, com.example.lamp" };
    expect(readSettings({}, { ...environment, ...two }).attestation).toMatchObject({
      packageNames: ["com.example.lantern", "com.example.lamp"],
    });
  });

  it.each([
    ["INNKEEP_ATTESTATION", "on"],
    ["INNKEEP_PLAY_PACKAGES", ""],
    ["INNKEEP_PLAY_PACKAGES", " , "],
    ["INNKEEP_PLAY_PACKAGES", "lantern"],
    ["INNKEEP_PLAY_PACKAGES", "com.example.lantern;com.example.lamp"],
    ["INNKEEP_PLAY_CERTIFICATES", ""],
    ["INNKEEP_PLAY_CERTIFICATES", "07:07"],
    ["INNKEEP_PLAY_CERTIFICATES", `${certificate},nothing`],
    ["INNKEEP_PLAY_DECRYPTION_KEY", ""],
    ["INNKEEP_PLAY_VERIFICATION_KEY", ""],
  ])("prevent the start if %s is %j", (name, value) => {
    expectRefusal(name, value);
  });

  it.each([
    ["INNKEEP_PLAY_DECRYPTION_KEY", "cut off", INNKEEP_PLAY_DECRYPTION_KEY.slice(0, -8)],
    ["INNKEEP_PLAY_DECRYPTION_KEY", "no base64", `${INNKEEP_PLAY_DECRYPTION_KEY.slice(0, -1)}!`],
    ["INNKEEP_PLAY_DECRYPTION_KEY", "the other key", INNKEEP_PLAY_VERIFICATION_KEY],
    ["INNKEEP_PLAY_VERIFICATION_KEY", "cut off", INNKEEP_PLAY_VERIFICATION_KEY.slice(0, -8)],
    ["INNKEEP_PLAY_VERIFICATION_KEY", "the other key", INNKEEP_PLAY_DECRYPTION_KEY],
  ])("prevent the start if %s is %s", (name, _, value) => {
    expectRefusal(name, value);
  });

  function expectRefusal(name: string, value: string) {
    const start = () => readSettings({}, { ...environment, [name]: value });
    expect(start).toThrow(SettingError);
    expect(start).toThrow(name);
  }

  it.each(["INNKEEP_PLAY_DECRYPTION_KEY", "INNKEEP_PLAY_VERIFICATION_KEY"])(
    "do not appear in an error message: %s",
    (name) => {
      const start = () => readSettings({}, { ...environment, [name]: "most of a key" });
      expect(start).toThrow(name);
      expect(start).not.toThrow("most of a key");
    },
  );
});

const provider = {
  id: "inn",
  name: "Inn ID",
  issuer: "https://id.example",
  clientId: "x",
  clientSecret: "hush",
};
const list = (...providers: object[]) => ({ INNKEEP_IDENTITY_PROVIDERS: JSON.stringify(providers) });

describe("the settings for identity providers", () => {
  it("are empty by default", () => {
    expect(readSettings({}, {}).identityProviders).toEqual([]);
  });

  it.each([
    ["https", "https://id.example/realms/inn"],
    ["http on loopback", "http://127.0.0.1:9000"],
    ["http on localhost", "http://localhost:9000"],
  ])("accept an issuer on %s", (_, issuer) => {
    const { identityProviders } = readSettings({}, list({ ...provider, issuer }));
    expect(identityProviders).toEqual([{ ...provider, issuer }]);
  });

  it.each([
    ["invalid JSON", { INNKEEP_IDENTITY_PROVIDERS: "inn" }],
    ["JSON that is not a list", { INNKEEP_IDENTITY_PROVIDERS: JSON.stringify(provider) }],
    ["a provider without an issuer", list({ ...provider, issuer: undefined })],
    ["an issuer on http elsewhere", list({ ...provider, issuer: "http://id.example" })],
    ["an issuer with a query", list({ ...provider, issuer: "https://id.example?tenant=1" })],
    [
      "the address of a document",
      list({ ...provider, issuer: "https://id.example/.well-known/openid-configuration" }),
    ],
    ["an id that is not allowed in addresses", list({ ...provider, id: "Inn ID" })],
    ["two providers with the same id", list(provider, provider)],
    ["an empty secret", list({ ...provider, clientSecret: "" })],
  ])("prevent the start after %s, and the error contains no secret", (_, variables) => {
    const start = () => readSettings({}, variables);
    expect(start).toThrow(SettingError);
    expect(start).toThrow("INNKEEP_IDENTITY_PROVIDERS");
    expect(start).not.toThrow("hush");
  });

  it("are named by their position if they are wrong", () => {
    const variables = list(provider, { ...provider, id: "other", issuer: 7 });
    expect(() => readSettings({}, variables)).toThrow("wrong: 1.issuer");
  });
});
