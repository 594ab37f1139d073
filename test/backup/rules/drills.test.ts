import { describe, expect, it } from "vitest";
import {
  begunNightly,
  isNightlyDue,
  type NightlyBackup,
  nightlyWarning,
} from "../../../server/backup/rules.ts";

const three = 180;
const at = (time: string) => new Date(`2026-11-${time}Z`);
const good = { at: "2026-11-10T03:05:00.000Z", seconds: 5, bytes: 10, missing: 0 };
const nightly = (startedAt: string, outcome: NightlyBackup["outcome"] = "ok"): NightlyBackup => ({
  startedAt: at(startedAt).toISOString(),
  until: new Date(at(startedAt).getTime() + 900_000).toISOString(),
  outcome,
  lastGood: good,
});

describe("a nightly backup", () => {
  it("is due immediately if there was none before", () => {
    expect(isNightlyDue(undefined, at("10T12:00:00"), three)).toBe(true);
  });

  it.each([
    ["10T03:00:00", "10T23:00:00", false],
    ["10T03:00:00", "11T02:59:59", false],
    ["10T03:00:00", "11T03:00:00", true],
    ["10T12:00:00", "11T02:59:59", false],
    ["10T12:00:00", "11T03:00:00", true],
    ["10T02:00:00", "10T03:00:00", true],
    ["07T03:00:00", "10T01:00:00", true],
  ])("that began at %s is due again at %s: %s", (started, now, due) => {
    expect(isNightlyDue(nightly(started), at(now), three)).toBe(due);
  });

  it("is tried again one hour after a failure", () => {
    expect(isNightlyDue(nightly("10T03:00:00", "failed"), at("10T03:59:59"), three)).toBe(false);
    expect(isNightlyDue(nightly("10T03:00:00", "failed"), at("10T04:00:00"), three)).toBe(true);
  });

  it("is not started by another server while its own server creates it", () => {
    expect(isNightlyDue(nightly("10T03:00:00", "running"), at("10T03:14:59"), three)).toBe(false);
    expect(isNightlyDue(nightly("10T03:00:00", "running"), at("10T03:15:00"), three)).toBe(true);
  });
});

describe("the warning about nightly backups", () => {
  it("is not shown if they are verified", () => {
    expect(nightlyWarning(nightly("10T03:00:00"), at("12T03:05:00"))).toBeUndefined();
    expect(
      nightlyWarning({ ...nightly("10T03:00:00", "running"), lastGood: undefined }, at("10T03:05:00")),
    ).toBeUndefined();
  });

  it("names the failure of the last backup", () => {
    const failed: NightlyBackup = { ...nightly("11T03:00:00", "failed"), message: "The disk is full." };
    expect(nightlyWarning(failed, at("11T03:05:00"))).toBe(
      "The last nightly backup failed: The disk is full. The last verified backup began at 2026-11-10T03:05:00.000Z.",
    );
    expect(nightlyWarning({ ...failed, lastGood: undefined }, at("11T03:05:00"))).toMatch(
      /No backup was ever verified\.$/,
    );
  });

  it("is shown after two days without a backup", () => {
    expect(nightlyWarning(nightly("10T03:00:00"), at("12T03:05:01"))).toBe(
      "No nightly backup was verified for two days. The last verified backup began at 2026-11-10T03:05:00.000Z.",
    );
  });

  it("is shown if the last backup never ended, even while the next one is created", () => {
    const killed: NightlyBackup = { ...nightly("10T03:00:00", "running"), lastGood: undefined };
    expect(nightlyWarning(killed, at("10T03:14:59"))).toBeUndefined();
    const warning =
      "The nightly backup that began at 2026-11-10T03:00:00.000Z never ended, because its server was stopped or killed. No backup was ever verified.";
    expect(nightlyWarning(killed, at("10T03:15:00"))).toBe(warning);
    const next = begunNightly(killed, at("10T03:20:00"));
    expect(nightlyWarning(next, at("10T03:21:00"))).toBe(warning);
    expect(nightlyWarning(begunNightly(next, at("10T03:50:00")), at("10T03:51:00"))).toMatch(
      /^The nightly backup that began at 2026-11-10T03:20:00\.000Z never ended/,
    );
  });

  it("is not shown while the first backup is created, and not while one is created after a failure or a success", () => {
    for (const last of [undefined, nightly("10T03:00:00"), nightly("10T03:00:00", "failed")])
      expect(nightlyWarning(begunNightly(last, at("11T03:00:00")), at("11T03:01:00"))).toBeUndefined();
  });
});
