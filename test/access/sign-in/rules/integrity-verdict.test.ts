import { describe, expect, it } from "vitest";
import { judgeIntegrity } from "../../../../server/access/sign-in/rules.ts";

const now = new Date("2026-11-21T12:00:00.000Z");
const packageName = "com.example.lantern";
const app = { packageNames: [packageName, "com.example.lamp"], certificates: ["first", "second"] };
const judge = (payload: unknown) =>
  judgeIntegrity(payload, app, { isBound: (given) => given === "bound", now });

const good = {
  requestDetails: {
    requestPackageName: packageName,
    nonce: "bound",
    timestampMillis: String(now.getTime()),
  },
  appIntegrity: {
    appRecognitionVerdict: "PLAY_RECOGNIZED",
    packageName,
    certificateSha256Digest: ["first"],
  },
  deviceIntegrity: { deviceRecognitionVerdict: ["MEETS_DEVICE_INTEGRITY"] },
};
const { nonce: _, ...withoutNonce } = good.requestDetails;
const standard = { ...good, requestDetails: { ...withoutNonce, requestHash: "bound" } };

/** Returns a copy with another value at a path such as `appIntegrity.packageName`. `undefined` removes the field. */
const changed = (verdict: object, path: string, value: unknown): unknown =>
  JSON.parse(JSON.stringify(put(verdict, path.split("."), value)));

const put = (into: object, [key = "", ...rest]: string[], value: unknown): object => ({
  ...into,
  [key]: rest.length === 0 ? value : put(Object(Reflect.get(into, key)), rest, value),
});

const app_ = ["app_not_recognized"];
const device = ["device_integrity_failed"];
const missing = undefined;

interface Check {
  readonly path: string;
  readonly verdict?: object;
  readonly good: unknown;
  readonly wrong: unknown;
  readonly wrongType: unknown;
  readonly reasons: readonly string[];
  /** Whether the field may be left out. */
  readonly optional?: boolean;
}

const ago = (milliseconds: number) => String(now.getTime() - milliseconds);
const { requestDetails, appIntegrity } = good;

const checks: readonly Check[] = [
  { path: "requestDetails", good: requestDetails, wrong: {}, wrongType: "text", reasons: app_ },
  {
    path: "requestDetails.requestPackageName",
    good: packageName,
    wrong: "com.example.evil",
    wrongType: [packageName],
    reasons: app_,
  },
  { path: "requestDetails.nonce", good: "bound", wrong: "other", wrongType: ["bound"], reasons: app_ },
  {
    path: "requestDetails.requestHash",
    verdict: standard,
    good: "bound",
    wrong: "other",
    wrongType: { hash: "bound" },
    reasons: app_,
  },
  {
    path: "requestDetails.timestampMillis",
    good: ago(0),
    wrong: ago(3_600_000),
    wrongType: now.getTime(),
    reasons: app_,
  },
  {
    path: "testingDetails",
    good: { isTestingResponse: false },
    wrong: { isTestingResponse: true },
    wrongType: { isTestingResponse: "true" },
    reasons: app_,
    optional: true,
  },
  { path: "appIntegrity", good: appIntegrity, wrong: {}, wrongType: [appIntegrity], reasons: app_ },
  {
    path: "appIntegrity.appRecognitionVerdict",
    good: "PLAY_RECOGNIZED",
    wrong: "UNRECOGNIZED_VERSION",
    wrongType: ["PLAY_RECOGNIZED"],
    reasons: app_,
  },
  {
    path: "appIntegrity.packageName",
    good: packageName,
    wrong: "com.example.lamp",
    wrongType: [packageName],
    reasons: app_,
  },
  {
    path: "appIntegrity.certificateSha256Digest",
    good: ["second", "first"],
    wrong: ["first", "forged"],
    wrongType: "first",
    reasons: app_,
  },
  {
    path: "deviceIntegrity.deviceRecognitionVerdict",
    good: ["MEETS_STRONG_INTEGRITY", "MEETS_DEVICE_INTEGRITY"],
    wrong: ["MEETS_BASIC_INTEGRITY", "MEETS_VIRTUAL_INTEGRITY"],
    wrongType: "MEETS_DEVICE_INTEGRITY",
    reasons: device,
  },
];

describe.each(checks)(
  "the check of $path in a verdict on a device",
  ({ path, verdict = good, reasons, ...check }) => {
    it.each([
      ["succeeds with the right value", check.good, []],
      ["fails with a wrong value", check.wrong, reasons],
      [check.optional ? "is missing passes" : "is missing fails", missing, check.optional ? [] : reasons],
      ["fails with another type", check.wrongType, reasons],
    ])("%s", (_, value, expected) => {
      expect(judge(changed(verdict, path, value))).toEqual(expected);
    });
  },
);

describe("the check of a verdict on a device", () => {
  it.each([
    ["9:59 old", ago(599_000), []],
    ["just under 10 minutes old", ago(599_999), []],
    ["10 minutes old", ago(600_000), app_],
    ["10:01 old", ago(601_000), app_],
    ["4:59 in the future", ago(-299_000), []],
    ["5 minutes in the future", ago(-300_000), []],
    ["5:01 in the future", ago(-301_000), app_],
  ])("with a verdict that is %s results in %j: %j", (_, timestamp, reasons) => {
    expect(judge(changed(good, "requestDetails.timestampMillis", timestamp))).toEqual(reasons);
  });

  it.each(["", "-1", "1e12", " 1", "0x10", "1".repeat(30), "NaN"])("fails with the time %j", (timestamp) => {
    expect(judge(changed(good, "requestDetails.timestampMillis", timestamp))).toEqual(app_);
  });

  it("returns both reasons if device and app fail", () => {
    const unsound = changed(good, "deviceIntegrity", {});
    expect(judge(changed(Object(unsound), "appIntegrity.packageName", "com.example.evil"))).toEqual([
      ...device,
      ...app_,
    ]);
  });

  it("returns both reasons for a device that did not check the app", () => {
    const unevaluated = { appRecognitionVerdict: "UNEVALUATED" };
    expect(judge({ ...good, appIntegrity: unevaluated, deviceIntegrity: {} })).toEqual([...device, ...app_]);
  });

  it.each([
    ["no certificate", "appIntegrity.certificateSha256Digest", [], app_],
    ["a certificate that is not text", "appIntegrity.certificateSha256Digest", ["first", 7], app_],
    [
      "a device verdict among other things",
      "deviceIntegrity.deviceRecognitionVerdict",
      [7, "MEETS_DEVICE_INTEGRITY"],
      device,
    ],
    ["an empty device verdict", "deviceIntegrity.deviceRecognitionVerdict", [], device],
    ["no device part", "deviceIntegrity", missing, device],
    ["a device part of null", "deviceIntegrity", null, device],
    ["a nonce beside another request hash", "requestDetails.requestHash", "other", app_],
    ["testing details that are not an object", "testingDetails", true, app_],
    ["an unknown part", "accountDetails", { appLicensingVerdict: "UNLICENSED" }, []],
    ["a padded nonce", "requestDetails.nonce", "bound=", []],
    ["a padded certificate", "appIntegrity.certificateSha256Digest", ["first="], []],
  ])("with %s in %s (%j) results in %j", (_, path, value, reasons) => {
    expect(judge(changed(good, path, value))).toEqual(reasons);
  });

  it.each([undefined, null, true, 7, "text", [], [good]])(
    "rejects the app with the payload %j",
    (payload) => {
      expect(judge(payload)).toEqual(app_);
    },
  );

  it("ignores inherited properties of a payload", () => {
    expect(judge(Object.create(good))).toEqual([...device, ...app_]);
  });
});
