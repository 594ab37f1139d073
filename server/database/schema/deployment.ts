import { apps } from "./access.ts";
import { type AnyTable, id, index, instant, integer, json, ref, table, text } from "./table.ts";

export const deployment = table(
  "deployment",
  { name: text("plain").primary(), value: text("plain") },
  { of: "deployment", erase: "Holds values of the server alone." },
);

/** The time that a server has last stored. A server doubts its clock if it differs much from this at the start. */
export const lastTimes = table(
  "last_times",
  { name: text("plain").primary(), at: instant() },
  {
    of: "deployment",
    erase: "Holds the time of the server alone.",
    notInBackup: "the last time of the old server is not valid for the new one",
  },
);

/** The times of the last uses of each limited key. */
export const rateLimits = table(
  "rate_limits",
  { key: text("plain").primary(), times: text("plain"), stale_hour: integer() },
  {
    of: "deployment",
    erase: "Holds hashes, which go within days.",
    indexes: [index("rate_limits_by_stale_hour", "stale_hour")],
  },
);

/** How many bytes each key sent in each minute. */
export const byteUses = table(
  "byte_uses",
  { key_id: text("plain"), minute: integer(), bytes: integer() },
  {
    of: "deployment",
    erase: "Holds ids of app keys alone.",
    primary: ["key_id", "minute"],
    indexes: [index("byte_uses_by_minute", "minute")],
  },
);

/** The answers that are kept for repeats. They name their app, because a person who is no longer a member must not get them. */
export const idempotency = table(
  "idempotency",
  {
    scope: text("plain"),
    key: text("key"),
    fingerprint: text("plain"),
    status: integer().null(),
    body: json("json").null(),
    expires_at: instant(),
    app_id: text("plain").null(),
  },
  {
    of: "app",
    erase: "Answers with the address are deleted. All go after a day.",
    primary: ["scope", "key"],
    indexes: [index("idempotency_by_expiry", "expires_at")],
  },
);

/** While an import runs, its app has a row here and no member, so nobody sees it. */
export const imports = table(
  "imports",
  {
    app_id: ref(apps, "cascade").primary(),
    /** When it last stored something. */
    alive_at: instant(),
  },
  { of: "deployment", erase: "Holds ids alone." },
);

/** The people that imported records name: names, not accounts. `slots.imported_tester` is one of them. */
export const importedPeople = table(
  "imported_people",
  { id: id(), app_id: ref(apps, "cascade"), email: text("address") },
  {
    of: "app",
    erase: "The row of the person is deleted.",
    indexes: [index("imported_people_by_app", "app_id, id")],
  },
);

/** Erasures of people, which are also their receipts. */
export const erasures = table(
  "erasures",
  {
    id: id(),
    /** Null for the whole deployment. */
    owner_id: text("account").null(),
    /** A keyed hash of the address. */
    person_hash: text("plain"),
    /** The address, while the work runs. */
    email_sealed: text("sealed").null(),
    status: text("plain"),
    /** How far it is. */
    place: json("plain"),
    /** Those still to be deleted. */
    files: json("plain"),
    counts: json("plain"),
    created_at: instant(),
    finished_at: instant().null(),
    backups_until: text("plain").null(),
  },
  {
    of: "deployment",
    erase: "Kept: it is the receipt. It holds a keyed hash, and the address sealed until the work is done.",
    indexes: [
      index("erasures_by_owner", "owner_id, created_at, id"),
      index("erasures_at_work", "created_at, id", { where: "status = 'running'" }),
      index("one_erasure_at_work", "owner_id, person_hash", { unique: true, where: "status = 'running'" }),
    ],
  },
);

/** What a deployment keeps about itself, its requests and its long works. */
export const deploymentSchema: readonly AnyTable[] = [
  ...[deployment, lastTimes, rateLimits, byteUses, idempotency, imports, importedPeople, erasures],
];
