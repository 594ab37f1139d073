import { describe, expect, it } from "vitest";
import { readSettings } from "../../../server/settings/environment.ts";

const continuousOf = (environment: Record<string, string>) => readSettings({}, environment).continuous;

describe("INNKEEP_CONTINUOUS_BACKUP", () => {
  it("is not needed", () => {
    expect(continuousOf({})).toBeUndefined();
  });

  it("names a folder, to which changes are copied every ten seconds and kept for seven days", () => {
    expect(continuousOf({ INNKEEP_CONTINUOUS_BACKUP: "/mnt/copies" })).toEqual({
      place: { folder: "/mnt/copies" },
      recipient: undefined,
      everyMs: 10_000,
      keptDays: 7,
    });
  });

  it("may name an S3 store, another time, the days of backups, and keys", () => {
    expect(
      continuousOf({
        INNKEEP_CONTINUOUS_BACKUP: "https://KEY:a%2Fb@s3.eu-central-1.amazonaws.com/bucket/copies",
        INNKEEP_CONTINUOUS_BACKUP_SECONDS: "60",
        INNKEEP_BACKUPS_KEPT_DAYS: "30",
        INNKEEP_BACKUP_RECIPIENT: "age1abc",
      }),
    ).toMatchObject({
      place: { s3: { bucket: "bucket", prefix: "copies/", secretAccessKey: "a/b" } },
      recipient: "age1abc",
      everyMs: 60_000,
      keptDays: 30,
    });
  });

  it.each([
    [{ INNKEEP_CONTINUOUS_BACKUP: "https://s3.example/bucket" }, "INNKEEP_CONTINUOUS_BACKUP has no key"],
    [
      { INNKEEP_CONTINUOUS_BACKUP: "http://k:s@s3.example/b" },
      "INNKEEP_CONTINUOUS_BACKUP must begin with https",
    ],
    [{ INNKEEP_CONTINUOUS_BACKUP: "s3://bucket/copies" }, "that begins with https://"],
    [{ INNKEEP_CONTINUOUS_BACKUP: "/c", INNKEEP_CONTINUOUS_BACKUP_SECONDS: "61" }, "a number from 1 to 60"],
    [{ INNKEEP_CONTINUOUS_BACKUP: "/c", INNKEEP_CONTINUOUS_BACKUP_SECONDS: "0.5" }, "a number from 1 to 60"],
    [{ INNKEEP_CONTINUOUS_BACKUP: "/c", INNKEEP_DATABASE_URL: "postgres://h/d" }, "is for SQLite"],
  ])("%j is refused", (environment, message) => {
    expect(() => continuousOf(environment)).toThrow(message);
  });
});
