import { importedMark } from "../../src/contract/audit.ts";
import { utcOf } from "../../src/contract/fields.ts";
import { isObject } from "../../src/contract/json.ts";
import { documentTypes, imageTypes, limits, videoTypes } from "../../src/contract/limits.ts";

/** A value in a column of the database. Booleans are stored as 0 and 1, and JSON as text. */
export type Stored = string | number | null;

/** A value in a line of an export. */
export type Value = unknown;

/** What an import needs to convert the values of a file into stored values. */
export interface Naming {
  /** Returns the new id for an id in the file. The same id always gets the same new id. */
  idOf(id: string): string;
  /** Returns the new name of an upload. */
  uploadOf(name: string): string;
  /** Returns the new name of a picture. Afterwards, `addressOf` returns its new address. */
  pictureOf(name: string): string;
  /** Returns the new address of a picture; the old address if no earlier line contains the picture. */
  addressOf(picture: { readonly name: string; readonly address: string }): string;
  /** The time of the import, in ISO 8601. */
  readonly now: string;
  /** The account that imports the file. */
  readonly ownerId: string;
  /** Whether the file contains the bytes of uploads. */
  readonly withFiles: boolean;
}

/** How an export shows a column, and how an import checks and stores its value. */
export interface Field {
  /** Returns a text that says what is wrong with a value. Returns undefined if the value is correct. */
  readonly fault: (value: Value) => string | undefined;
  /** Converts a stored value to the value in the file. */
  readonly shown: (stored: Stored) => Value;
  /** Converts a value in the file to the value to store. This function is called only with correct values. */
  readonly stored: (value: Value, naming: Naming) => Stored;
  /** Whether the field is optional, because older exports do not have it. */
  readonly isNewer?: boolean;
}

const asIs = (stored: Stored): Value => stored;
const isStored = (value: Value): value is Stored =>
  value === null || typeof value === "string" || typeof value === "number";
const asStored = (value: Value): Stored => (isStored(value) ? value : null);

const plain = (fault: Field["fault"]): Field => ({ fault, shown: asIs, stored: asStored });

/** Returns the same field, but its value may also be null. */
export const orNull = (field: Field): Field => ({
  fault: (value) => (value === null ? undefined : field.fault(value)),
  shown: (stored) => (stored === null ? null : field.shown(stored)),
  stored: (value, naming) => (value === null ? null : field.stored(value, naming)),
});

/**
 * Returns the same field, but it is optional. If an older export does not have it, an import stores `missing`.
 */
export const newer = (field: Field, missing: Stored): Field => ({
  ...field,
  stored: (value, naming) => (value === undefined ? missing : field.stored(value, naming)),
  isNewer: true,
});

/** Returns a field for text of at most `most` UTF-16 units. */
export const text = (most: number): Field =>
  plain((value) => {
    if (typeof value !== "string") return "must be text";
    if (value.length > most) return `must have at most ${most} characters`;
    return isClean(value) ? undefined : "must not contain NUL characters or lone surrogates";
  });

// The pattern has no flag `u`, so a surrogate pair counts as two UTF-16 units.
const isClean = (value: string): boolean =>
  !/\0|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/.test(value);

/** Returns a field whose value must be one of these texts. */
export const oneOf = (...values: readonly string[]): Field =>
  plain((value) =>
    typeof value === "string" && values.includes(value)
      ? undefined
      : `must be one of ${values.slice(0, 10).join(", ")}`,
  );

/** Returns a field for a whole number from `least` to `most`. */
export const whole = (least: number, most: number): Field =>
  plain((value) =>
    typeof value === "number" && Number.isSafeInteger(value) && value >= least && value <= most
      ? undefined
      : `must be a whole number from ${least} to ${most}`,
  );

/** A field for a boolean. */
export const flag: Field = {
  fault: (value) => (typeof value === "boolean" ? undefined : "must be true or false"),
  shown: (stored) => stored === 1,
  stored: (value) => (value === true ? 1 : 0),
};

/** A field for a time in UTC with milliseconds, in ISO 8601. */
export const instant: Field = plain((value) =>
  typeof value === "string" && value.length === 24 && utcOf(value) === value
    ? undefined
    : "must be an instant in UTC with milliseconds",
);

/** Returns a field for text that must match a pattern. `form` describes the pattern in a message. */
export const matching = (pattern: RegExp, form: string): Field =>
  plain((value) =>
    typeof value === "string" && value.length <= 2_000 && pattern.test(value) ? undefined : `must be ${form}`,
  );

/** A schema, usually one of the API's contract. */
interface Schema {
  safeParse(value: unknown): { readonly success: boolean };
}

/** Returns a field for text that must match a schema. `form` describes the schema in a message. */
export const accepted = (schema: Schema, form: string): Field =>
  plain((value) =>
    typeof value === "string" && isClean(value) && schema.safeParse(value).success
      ? undefined
      : `must be ${form}`,
  );

/** Returns a field for JSON of at most `most` characters. `form` describes the schema in a message. */
export const json = (schema: Schema, form: string, most = 1_000_000): Field => ({
  fault: (value) => {
    if (!schema.safeParse(value).success) return `must be ${form}`;
    const written = JSON.stringify(value);
    if (written.length > most) return `must have at most ${most} characters as JSON`;
    return isClean(written) && !escapedLone.test(written)
      ? undefined
      : "must not contain NUL characters or lone surrogates";
  },
  shown: (stored) => JSON.parse(String(stored)),
  stored: (value) => JSON.stringify(value),
});

/** Matches NUL characters and lone surrogates, which JSON.stringify writes as escape sequences. */
const escapedLone = /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f][\da-f]{2})/;

const uuid = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/;
const anyUuid = /\b[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}\b/g;

/** A field for the id of a record or a reference to a record. An import replaces the id. */
export const id: Field = {
  fault: (value) => (typeof value === "string" && uuid.test(value) ? undefined : "must be an id (a UUID)"),
  shown: asIs,
  stored: (value, { idOf }) => idOf(String(value)),
};

/** Returns a field for text in which an import replaces every id with its new id. */
export const textWithIds = (most: number): Field => {
  const field = text(most);
  return { ...field, stored: (value, { idOf }) => String(value).replace(anyUuid, (found) => idOf(found)) };
};

const uploadName = /^[\w-]{16,100}(\.[a-z0-9]{1,8})?$/;

/** A field for the name of an upload. An import replaces it with a new name. */
export const upload: Field = {
  fault: (value) =>
    typeof value === "string" && uploadName.test(value) ? undefined : "must be the name of an upload",
  shown: asIs,
  stored: (value, { uploadOf }) => uploadOf(String(value)),
};

/** The columns of an upload. The bytes of the upload are not part of the records. */
export const uploadColumns = {
  name: upload,
  sha256: matching(/^[\da-f]{64}$/, "a SHA-256 in hex"),
  media_type: oneOf(...imageTypes, ...videoTypes, ...documentTypes),
  size: whole(1, 100 * 1_048_576),
  file_name: orNull(text(2 * limits.fileName)),
  created_at: instant,
};

/** Like `upload`, but for the name of a picture in the FAQ or in release notes. */
export const picture: Field = { ...upload, stored: (value, { pictureOf }) => pictureOf(String(value)) };

const pictureAddress = /(?:https?:\/\/[^\s()<>"\\]{1,500})?\/uploads\/([\w-]{16,100}(?:\.[a-z0-9]{1,8})?)/g;

/** Returns the same field, but an import replaces the addresses of pictures in the text. (rule C28) */
export const showing = (field: Field): Field => ({
  ...field,
  stored(value, naming) {
    const stored = field.stored(value, naming);
    return typeof stored === "string"
      ? stored.replace(pictureAddress, (address, name: string) => naming.addressOf({ name, address }))
      : stored;
  },
});

const fileLists = ["images", "videos", "attachments"] as const;

/** A field for the files of a report. Without their bytes, the import stores empty lists. */
export const reportFiles: Field = {
  fault(value) {
    if (!isObject(value) || Object.keys(value).some((key) => !fileLists.some((name) => name === key)))
      return "must be the lists images, videos and attachments";
    return fileLists.every((name) => listOf(value[name])?.every(isFile))
      ? undefined
      : "must be lists of files with upload, name, mediaType and size";
  },
  shown: (stored) => JSON.parse(String(stored)),
  stored(value, { uploadOf, withFiles }) {
    const held = isObject(value) ? value : {};
    const renamed = (file: Value) =>
      isObject(file) ? [{ ...file, upload: uploadOf(String(file.upload)) }] : [];
    const lists = fileLists.map((name) => [
      name,
      withFiles ? (listOf(held[name]) ?? []).flatMap(renamed) : [],
    ]);
    return JSON.stringify(Object.fromEntries(lists));
  },
};

/** The maximum number of files in a list. The limit for a report is much lower. */
const mostFiles = 20;

const listOf = (value: Value): readonly Value[] | undefined =>
  Array.isArray(value) && value.length <= mostFiles ? value : undefined;

const isFile = (file: Value): boolean =>
  isObject(file) &&
  Object.keys(file).length === 4 &&
  upload.fault(file.upload) === undefined &&
  text(400).fault(file.name) === undefined &&
  text(100).fault(file.mediaType) === undefined &&
  whole(0, 1e12).fault(file.size) === undefined;

const tokenId = /, token ([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})$/;

/**
 * A field for an actor in the audit. An import adds `importedMark`, because another server recorded the entry.
 * (rule X6)
 */
export const actor: Field = {
  ...text(1_000),
  shown: (stored) => withoutImportedMark(String(stored)),
  stored: (value, { idOf }) =>
    `${withoutImportedMark(String(value)).replace(tokenId, (_, token) => `, token ${idOf(token)}`)}${importedMark}`,
};

const withoutImportedMark = (name: string): string =>
  name.endsWith(importedMark) ? name.slice(0, -importedMark.length) : name;
