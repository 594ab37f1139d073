import { describe, expect, it } from "vitest";
import { nightlyOf } from "../../server/settings/read-settings.ts";

const folder = { INNKEEP_BACKUP_DIR: "/backups" };

describe("the settings for nightly backups", () => {
  it("are off by default", () => {
    expect(nightlyOf({ ...folder })).toBeUndefined();
    expect(nightlyOf({ ...folder, INNKEEP_BACKUP_DRILL: "off" })).toBeUndefined();
  });

  it("contain a time in UTC, a folder, the number of backups to keep, and a public key", () => {
    const usual = { at: 180, folder: "/backups", kept: 7, recipient: undefined };
    expect(nightlyOf({ ...folder, INNKEEP_BACKUP_DRILL: "daily" })).toEqual(usual);
    const all = {
      INNKEEP_BACKUP_DRILL: "23:59",
      INNKEEP_BACKUP_KEEP: "30",
      INNKEEP_BACKUP_RECIPIENT: "age1…",
    };
    expect(nightlyOf({ ...folder, ...all })).toEqual({ ...usual, at: 1_439, kept: 30, recipient: "age1…" });
  });

  it.each(["3:00", "24:00", "nightly", "03:60"])("are refused with the time %s", (time) => {
    expect(() => nightlyOf({ ...folder, INNKEEP_BACKUP_DRILL: time })).toThrow(
      /^INNKEEP_BACKUP_DRILL must be/,
    );
  });

  it("are refused without a folder, or with a wrong number", () => {
    expect(() => nightlyOf({ INNKEEP_BACKUP_DRILL: "daily" })).toThrow(/^INNKEEP_BACKUP_DIR must/);
    for (const kept of ["0", "1001", "x", "1.5"])
      expect(() =>
        nightlyOf({ ...folder, INNKEEP_BACKUP_DRILL: "daily", INNKEEP_BACKUP_KEEP: kept }),
      ).toThrow(/^INNKEEP_BACKUP_KEEP must/);
  });
});
