import type { IncomingHttpHeaders } from "node:http";
import type { Readable } from "node:stream";
import { Busboy, type BusboyFileStream, type BusboyInstance } from "@fastify/busboy";
import { normaliseMediaType, type ReceivedFile, receivedFile } from "../../../src/contract/files.ts";
import type { Files, TemporaryFile } from "../../files/files.ts";
import { UploadFailure } from "../answers.ts";
import { consume, type IncomingBody, type Intake, receive, type Upload } from "./read-body.ts";
import { anything, parseStrictJson } from "./strict-json.ts";

/**
 * Writes the files of a multipart/form-data body to disk. After a failure, deletes these files and throws
 * UploadFailure or FilesUnavailable.
 */
export function readMultipartUpload(
  { body, headers }: { readonly body: Readable; readonly headers: IncomingHttpHeaders },
  files: Files,
  form: MultipartForm,
): Promise<Upload> {
  return receive(files, async (intake) => {
    const parser = createFormParser(headers, intake, form);
    await consume(body, { bytes: form.body, arrival: form.arrival }, parser.write);
    return parser.end();
  });
}

interface FormParser {
  /** Parses the next bytes of the body. Throws the first fault that was found in the body. */
  write(chunk: Buffer): void;
  /** Returns the form when all its files are written. */
  end(): Promise<unknown>;
}

/** The methods throw or reject with UploadFailure, or with the error of a failed write. */
function createFormParser(headers: IncomingHttpHeaders, intake: Intake, form: MultipartForm): FormParser {
  const busboy = openBusboy(headers, form);
  const fields = createFields(form);
  let failure: unknown;
  const fail = (error: unknown) => {
    failure ??= error;
  };
  const attempt = (step: () => void) => {
    if (failure) return;
    try {
      step();
    } catch (error) {
      fail(error);
    }
  };

  busboy.on("field", (name, value, _, cut) => attempt(() => fields.addText(name, value, cut)));
  busboy.on("file", (name, stream, fileName, _, type) =>
    takeFile(stream, { name, fileName, type }, { attempt, fields, intake, form }),
  );
  busboy.on("partsLimit", () => fail(new UploadFailure("too_large", "The form has too many parts.")));
  const finished = new Promise<void>((resolve) => {
    busboy.on("finish", resolve);
    busboy.on("error", (cause) => {
      fail(malformedForm("is incomplete or malformed", cause));
      resolve();
    });
  });

  return {
    write(chunk) {
      busboy.write(chunk);
      if (failure) throw failure;
    },
    async end() {
      busboy.end();
      await finished;
      if (failure) throw failure;
      return fields.value();
    },
  };
}

const mostParts = 256;

const headerBytes = 16_384;

function openBusboy(headers: IncomingHttpHeaders, form: MultipartForm): BusboyInstance {
  try {
    return new Busboy({
      headers: { ...headers, "content-type": headers["content-type"] ?? "" },
      preservePath: true,
      isPartAFile: (field, _, fileName) => isFile({ field, fileName }, form),
      limits: { parts: mostParts, fieldSize: form.text, headerSize: headerBytes },
    });
  } catch (cause) {
    throw malformedForm("has no boundary in its content type", cause);
  }
}

/** Whether a part of the form is a file. Some clients also add a file name to text fields. (rule H9) */
function isFile(
  { field, fileName }: { readonly field: string | undefined; readonly fileName: string | undefined },
  form: MultipartForm,
): boolean {
  if (field !== undefined && form.texts.includes(field)) return false;
  return fileName !== undefined || (field !== undefined && fileFieldOf(field, form) !== undefined);
}

interface Part {
  readonly name: string | undefined;
  readonly fileName: string | undefined;
  readonly type: string;
}

function takeFile(
  stream: BusboyFileStream,
  part: Part,
  {
    attempt,
    fields,
    intake,
    form,
  }: {
    readonly attempt: (step: () => void) => void;
    readonly fields: Fields;
    readonly intake: Intake;
    readonly form: MultipartForm;
  },
): void {
  // Errors of `stream` are ignored here, because the parser reports an incomplete body.
  stream.on("error", () => {});
  stream.resume();
  attempt(() => {
    const field = fields.fileField(part.name);
    const rule = field === undefined ? undefined : form.files[field];
    if (field === undefined || !rule) return;
    const file = intake.open(rule.bytes);
    let isEmpty = true;
    stream.on("data", (bytes: Buffer) =>
      attempt(() => {
        isEmpty = false;
        file.write(bytes);
      }),
    );
    stream.on("end", () => {
      // An empty file input of an HTML form has neither bytes nor a name.
      if (isEmpty && !part.fileName) return file.drop();
      fields.addFile(field, part.fileName, intake.add(receivedFrom(part, file, rule.named === true)));
    });
  });
}

async function receivedFrom({ fileName, type }: Part, file: TemporaryFile, isNamed: boolean) {
  const written = await file.finish();
  const name = isNamed ? null : (fileName ?? null);
  return receivedFile({ ...written, declaredType: normaliseMediaType(type), name, fault: null });
}

/** The fields that a form may have, and their limits. */
export interface MultipartForm {
  /**
   * The file fields. `bytes` is the maximum size of one file. A file of a `named` field becomes `{name, data}`.
   */
  readonly files: Readonly<Record<string, { readonly bytes: number; readonly named?: boolean }>>;
  /** The known text fields. */
  readonly texts: readonly string[];
  /** The text fields whose text is JSON. */
  readonly json: readonly string[];
  /** The maximum number of bytes of the whole body. */
  readonly body: number;
  /** The maximum number of bytes of all text fields together. */
  readonly text: number;
  /** With `arrival`, the server may stop reading the body before its end. */
  readonly arrival?: IncomingBody | undefined;
}

/** Collects the fields of a form while they arrive. */
interface Fields {
  /** Adds a text field. `isCut` says whether the parser has cut the text at the limit. */
  addText(name: string | undefined, text: string, isCut: boolean): void;
  /** Returns the field to which a file part belongs. Returns undefined if the form has no such field. */
  fileField(name: string | undefined): string | undefined;
  addFile(field: string, fileName: string | undefined, file: Promise<ReceivedFile>): void;
  value(): Promise<unknown>;
}

/**
 * The methods of the returned object throw UploadFailure with `malformed_multipart` (unusable name, repeated
 * text field) or `too_large` (too much text).
 */
function createFields(form: MultipartForm): Fields {
  const fields = new Map<string, unknown>();
  const lists = new Map<string, FormFile[]>();
  let size = 0;
  return {
    addText(given, text, isCut) {
      const name = checkedName(given);
      size += Buffer.byteLength(text);
      if (isCut || size > form.text)
        throw new UploadFailure(
          "too_large",
          `The text of the form must be at most ${form.text} bytes. Send less text or metadata.`,
        );
      if (fields.has(name)) throw malformedForm(`has the field ${name} twice`);
      fields.set(name, form.json.includes(name) ? parsed(text) : text);
    },
    fileField: (given) => fileFieldOf(checkedName(given), form),
    addFile(field, fileName, file) {
      lists.set(field, [...(lists.get(field) ?? []), { fileName, file }]);
    },
    async value() {
      for (const [field, files] of lists) {
        const isNamed = form.files[field]?.named === true;
        fields.set(field, await Promise.all(files.map((file) => elementOf(file, isNamed))));
      }
      return Object.fromEntries(fields);
    },
  };
}

/**
 * Returns the file field with this name. `images[]` means `images`, because PHP writes the names of lists like
 * this.
 */
function fileFieldOf(name: string, { files }: Pick<MultipartForm, "files">): string | undefined {
  const field = name.replace(/\[\d{0,3}\]$/, "");
  return Object.hasOwn(files, field) ? field : undefined;
}

const longestName = 200;

interface FormFile {
  readonly fileName: string | undefined;
  readonly file: Promise<ReceivedFile>;
}

async function elementOf({ fileName, file }: FormFile, isNamed: boolean): Promise<unknown> {
  return isNamed ? { name: fileName ?? "", data: await file } : file;
}

function checkedName(name: string | undefined): string {
  if (!name) throw malformedForm("has a part without a name");
  if (name.length > longestName || name === "__proto__")
    throw malformedForm("has a part with an unusable name");
  return name;
}

// A text that is not JSON is returned unchanged. The schema of the field refuses it later.
function parsed(text: string): unknown {
  if (text.trim() === "") return null;
  try {
    return parseStrictJson(Buffer.from(text), anything);
  } catch {
    return text;
  }
}

const malformedForm = (why: string, cause?: unknown) =>
  new UploadFailure("malformed_multipart", `The form ${why}.`, { cause });
