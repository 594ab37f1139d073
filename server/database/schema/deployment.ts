import { apps } from "./access.ts";
import { type AnyTable, id, index, instant, integer, json, ref, table, text } from "./table.ts";

export const deployment = table(
  "deployment",
  { name: text("plain").primary(), value: text("plain") },
  { of: "deployment", erase: "Contains only values of the server." },
);

/** The last time that the server has stored. At its start, the server compares its clock with this time. */
export const lastTimes = table(
  "last_times",
  { name: text("plain").primary(), at: instant() },
  {
    of: "deployment",
    erase: "Contains only the time of the server.",
    notInBackup: "the last time of the old server is not valid for the new one",
  },
);

/** The times of the last uses for each key of a rate limit. */
export const rateLimits = table(
  "rate_limits",
  { key: text("plain").primary(), times: text("plain"), stale_hour: integer() },
  {
    of: "deployment",
    erase: "Contains hashes, which are deleted within days.",
    indexes: [index("rate_limits_by_stale_hour", "stale_hour")],
  },
);

/** How many bytes were sent with each app key in each minute. */
export const byteUses = table(
  "byte_uses",
  { key_id: text("plain"), minute: integer(), bytes: integer() },
  {
    of: "deployment",
    erase: "Contains only ids of app keys.",
    primary: ["key_id", "minute"],
    indexes: [index("byte_uses_by_minute", "minute")],
  },
);

/** Stored answers for repeats of a request. `app_id` is needed because former members must not get the answer. */
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
    erase: "Answers with the address are deleted. All answers are deleted after a day.",
    primary: ["scope", "key"],
    indexes: [index("idempotency_by_expiry", "expires_at")],
  },
);

/** The running imports of apps. The app of a running import has no members, so nobody sees it. */
export const imports = table(
  "imports",
  {
    app_id: ref(apps, "cascade").primary(),
    /** The time at which the import last stored something. */
    alive_at: instant(),
  },
  { of: "deployment", erase: "Contains only ids." },
);

/** People in imported records who have no account. `slots.imported_tester` refers to this table. */
export const importedPeople = table(
  "imported_people",
  { id: id(), app_id: ref(apps, "cascade"), email: text("address") },
  {
    of: "app",
    erase: "The row of the person is deleted.",
    indexes: [index("imported_people_by_app", "app_id, id")],
  },
);

/** Erasures of people. A row is also the receipt of the erasure. */
export const erasures = table(
  "erasures",
  {
    id: id(),
    /** The owner who asked for the erasure. Null if the erasure is in the whole deployment. */
    owner_id: text("account").null(),
    /** A keyed hash of the person's address. */
    person_hash: text("plain"),
    /** The person's address. Only set while the erasure runs. */
    email_sealed: text("sealed").null(),
    status: text("plain"),
    /** The progress of the erasure. */
    place: json("plain"),
    /** The files that the erasure must still delete. */
    files: json("plain"),
    counts: json("plain"),
    created_at: instant(),
    finished_at: instant().null(),
    backups_until: text("plain").null(),
  },
  {
    of: "deployment",
    erase:
      "The row stays, because it is the receipt of the erasure. It contains a keyed hash of the address. While the erasure runs, it also contains the encrypted address.",
    indexes: [
      index("erasures_by_owner", "owner_id, created_at, id"),
      index("erasures_at_work", "created_at, id", { where: "status = 'running'" }),
      index("one_erasure_at_work", "owner_id, person_hash", { unique: true, where: "status = 'running'" }),
    ],
  },
);

/** Tables about the deployment itself, its requests and its long tasks. */
export const deploymentSchema: readonly AnyTable[] = [
  ...[deployment, lastTimes, rateLimits, byteUses, idempotency, imports, importedPeople, erasures],
];
