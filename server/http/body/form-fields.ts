import type { ReceivedFile } from "../../../src/contract/received-file.ts";
import type { IncomingBody } from "./incoming-body.ts";
import { anything, parseStrictJson } from "./strict-json.ts";
import { malformedForm, UploadFailure } from "./upload.ts";

/** The fields that a form may have, and their limits. */
export interface MultipartForm {
  /** The fields that take files, and the limit of each file. `named` files become `{name, data}`, as in JSON bodies. */
  readonly files: Readonly<Record<string, { readonly bytes: number; readonly named?: boolean }>>;
  /** The text fields that hold JSON. */
  readonly json: readonly string[];
  /** Bytes of the whole body. */
  readonly body: number;
  /** Bytes of all text fields together. */
  readonly text: number;
  /** Lets the server cut the body before its end. */
  readonly arrival?: IncomingBody | undefined;
}

/** Collects the fields of a form while they arrive. */
export interface Fields {
  /** Adds a text field. `isCut` if the parser cut it at the limit. */
  addText(name: string | undefined, text: string, isCut: boolean): void;
  /** The field of a file part. Undefined if the form has no such field. */
  fileField(name: string | undefined): string | undefined;
  addFile(field: string, fileName: string | undefined, file: Promise<ReceivedFile>): void;
  value(): Promise<unknown>;
}

/**
 * Throws UploadFailure `malformed_multipart` for unusable names and for a text field that comes twice, `too_large` for
 * too much text.
 */
export function createFields(form: MultipartForm): Fields {
  const fields = new Map<string, unknown>();
  const lists = new Map<string, FormFile[]>();
  let size = 0;
  return {
    addText(given, text, isCut) {
      const name = checkedName(given);
      size += Buffer.byteLength(text);
      if (isCut || size > form.text)
        throw new UploadFailure("too_large", `The text of the form must be at most ${form.text} bytes.`);
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

/** The file field of a part. `images[]` is `images`: so PHP, and libraries that follow it, name the elements of a list. */
export function fileFieldOf(name: string, { files }: Pick<MultipartForm, "files">): string | undefined {
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

// Text that is not JSON stays text: the schema of the field will refuse it.
function parsed(text: string): unknown {
  if (text.trim() === "") return null;
  try {
    return parseStrictJson(Buffer.from(text), anything);
  } catch {
    return text;
  }
}
