import { mkdir, stat } from "node:fs/promises";
import type { CopiesChoice } from "../../../src/backup-commands.ts";
import { copiedJournal, copiedSecret } from "../../continuous/kept-beside.ts";
import { DamagedCopy, LockedCopy } from "../../continuous/link.ts";
import type { Place } from "../../continuous/places/place.ts";
import { BrokenChain, rebuildFile } from "../../continuous/rebuild-file.ts";
import { restoreFiles } from "../../continuous/restore-files.ts";
import {
  pointAt,
  pointBefore,
  type RestorableGeneration,
  type RestorePoint,
  restorable,
} from "../../continuous/restore-points.ts";
import type { JournalEntry } from "../../files/erasure-journal.ts";
import type { Identity } from "../../secrets/age/age-keys.ts";
import { copiesPlaceOf } from "../../settings/continuous-settings.ts";
import { SettingError } from "../../settings/setting-error.ts";
import type { DataLocation } from "../../settings/settings.ts";
import { bindPlace } from "../../start/bind-files.ts";
import { openCopies } from "../../start/open-continuous.ts";
import { openFiles } from "../../start/open-files.ts";
import { secondFactors } from "../../store/access/sign-in/second-factors.ts";
import { deploymentId } from "../../store/deployment/deployment-id.ts";
import { filesPlace } from "../../store/deployment/files-place.ts";
import type { LockOptions } from "../../store/deployment/folder-lock.ts";
import { integrityFaults } from "../../store/deployment/integrity.ts";
import { emptyLeftOut } from "../../store/deployment/tables.ts";
import type { Database } from "../../store/engine/database.ts";
import { openDatabase } from "../../store/engine/open.ts";
import { uploads } from "../../store/requests/uploads.ts";
import { identitiesIn } from "../archive/keys.ts";
import type { GivenSecrets } from "../given-secrets.ts";
import { erasedAreBack, inDraft, withLock } from "../restore.ts";
import { assertEmptyFolder, claimStore } from "../restoring/restore-target.ts";
import { eraseRestored, keepJournal, readJournals } from "../restoring/restored-erasures.ts";
import { withRestoredSecret } from "../restoring/restored-secret.ts";

/** What a person asks for. */
export interface InstantRequest extends GivenSecrets {
  readonly from: CopiesChoice;
  readonly at?: string | undefined;
  /** The file of the keys that encrypted copies are read with. */
  readonly identity?: string | undefined;
  readonly erasures?: string | undefined;
  readonly erasuresFile?: string | undefined;
}

interface InstantOrder extends Omit<InstantRequest, "from" | "at" | "identity"> {
  readonly place: Place;
  readonly identities: readonly Identity[];
  /** Undefined for the last instant. */
  readonly at: Date | undefined;
}

/** Opens the place of copies that an operator names. Throws a SettingError. */
async function copiesOf({ place: named, accessKeyId, secretAccessKey }: CopiesChoice): Promise<Place> {
  const keys = { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey };
  const place = copiesPlaceOf("--from", named, keys);
  if ("folder" in place && !(await isFolder(place.folder)))
    throw new SettingError(`There is no folder ${place.folder}, so there is no continuous backup in it.`);
  return openCopies(place);
}

const isFolder = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );

/** The generations of a continuous backup, each with its first and its last instant. */
export async function listInstants(from: CopiesChoice) {
  const generations = await restorable(await copiesOf(from));
  return {
    generations: generations.map(({ name, instants }) => ({
      ...{ name, instants: instants.length },
      ...{ first: instants[0]?.toISOString(), last: instants.at(-1)?.toISOString() },
    })),
  };
}

/** Restores as `restoreInstant`, with what a command has. */
export async function restoreFrom(
  location: DataLocation,
  request: InstantRequest,
  waiting: LockOptions = {},
) {
  const { from, at, identity, ...others } = request;
  const identities = (await identitiesIn(identity)) ?? [];
  const wanted = at === undefined ? undefined : new Date(at);
  const order = { ...others, place: await copiesOf(from), identities, at: wanted };
  return restoreInstant(location, order, waiting).catch((error) => {
    throw error instanceof LockedCopy ? new SettingError(error.message) : error;
  });
}

/**
 * Restores the state at an instant from a continuous backup, into a new folder. Verifies each part of the copy, the database that results,
 * and each file. Erases the people again that were erased since. Throws an Error with a message for the operator.
 */
async function restoreInstant(location: DataLocation, order: InstantOrder, waiting: LockOptions = {}) {
  if (location.databaseUrl !== undefined)
    throw new SettingError(
      "A continuous backup is restored into a folder, with SQLite. To move it to PostgreSQL, make a backup of that folder and restore it with --database-url.",
    );
  const { place, at } = order;
  const generations = await restorable(place);
  const point = pointAt(generations, at);
  if (!point) throw nothingAt(generations, at);
  const found = await readJournals(location, {
    backup: undefined,
    named: order.erasures ?? order.erasuresFile,
  });
  const copied = await copiedJournal(place, order.identities).catch(orAdvice(journalAdvice));
  const entries = [...found, ...copied];
  await assertEmptyFolder(location);
  await mkdir(location.data, { recursive: true, mode: 0o700 });
  return withLock(location, waiting, () => restorePoint(location, { ...order, generations, point, entries }));
}

/** Says what to do about a damaged copy. Throws other errors as they are. */
const orAdvice =
  (advice: string) =>
  (error: unknown): never => {
    throw error instanceof DamagedCopy ? new Error(`${error.message} ${advice}`, { cause: error }) : error;
  };

const journalAdvice =
  "It lists the people who were erased. Remove it from the place of the copies, and name another journal with --erasures.";
const secretAdvice = "Set INNKEEP_SECRET to the secret of the server, and remove this copy.";

interface Restoring extends InstantOrder {
  readonly generations: readonly RestorableGeneration[];
  readonly point: RestorePoint;
  readonly entries: readonly JournalEntry[];
}

/** The database gets its name last, so that no server can start with an incomplete one. */
async function restorePoint(location: DataLocation, restoring: Restoring) {
  return inDraft(location, async (draft) => {
    const { files: folder } = await rebuild(draft, restoring);
    await assertSound(draft);
    const { place, point, identities } = restoring;
    const secret = await copiedSecret(place, point.generation, identities).catch(orAdvice(secretAdvice));
    return withRestoredSecret(location, secret, async () => {
      await keepJournal(location, restoring.entries);
      const database = await openDatabase({ file: draft });
      return complete(location, restoring, { database, folder }).finally(() => database.close());
    });
  });
}

async function rebuild(draft: string, { place, identities, point, generations }: Restoring) {
  try {
    return await rebuildFile(point, { place, identities, file: draft });
  } catch (error) {
    if (!(error instanceof BrokenChain)) throw error;
    const before = pointBefore(generations, point, error.link);
    const advice = before
      ? `The last instant that can be restored without it is ${before.at.toISOString()}: use it with --at.`
      : "Nothing can be restored without it.";
    throw new Error(
      `The continuous backup cannot be restored to ${point.at.toISOString()}: in ${point.generation}, ${error.message} ${advice}`,
      {
        cause: error,
      },
    );
  }
}

/** Before anything else looks into the file. */
async function assertSound(file: string): Promise<void> {
  const database = await openDatabase({ file }, { migrations: "none" });
  const faults = await integrityFaults(database).finally(() => database.close());
  if (faults.length > 0)
    throw new Error(`The restored database has faults:\n${faults.map((fault) => `- ${fault}`).join("\n")}`);
}

interface Draft {
  readonly database: Database;
  /** Where the copies of files are. */
  readonly folder: string;
}

async function complete(location: DataLocation, restoring: Restoring, { database, folder }: Draft) {
  const { place, identities, point, entries, secret, oldSecrets } = restoring;
  await claimStore(location, () => deploymentId.find(database));
  const restored = await restoreFiles(database, openFiles(location), { place, identities, folder });
  const withoutRecoveryCodes = await database.write(async (tx) => {
    for (const sha256 of restored.missing) await uploads.removeBySha256(tx, sha256);
    const ended = await secondFactors.endRecoveryCodes(tx);
    await emptyLeftOut(tx);
    await filesPlace.replace(tx, location.s3 ? "s3" : "folder");
    return ended;
  }, "long");
  if (location.s3) await bindPlace(database, location);
  const given = { secret, oldSecrets };
  const erasedAgain = await eraseRestored({ database, location, given }, entries);
  return {
    ...{ at: point.at.toISOString(), generation: point.generation, ...restored },
    ...{ withoutRecoveryCodes, erasedAgain, note: erasedAreBack },
  };
}

function nothingAt(generations: readonly RestorableGeneration[], at: Date | undefined): Error {
  const [first] = generations[0]?.instants ?? [];
  if (!first || !at)
    return new SettingError("There is no continuous backup in this place, or none that is complete.");
  return new SettingError(
    `The first instant that can be restored is ${first.toISOString()}, which is after ${at.toISOString()}.`,
  );
}
