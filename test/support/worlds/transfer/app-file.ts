import type { Answer } from "../../service/request.ts";
import type { Service } from "../../service/service.ts";

type Headers = Readonly<Record<string, string>>;

/** Imports a file as the person of these headers. */
export function importFile(
  { request }: Service,
  headers: Headers,
  file: Uint8Array | string,
  name?: string,
): Promise<Answer> {
  const body = new FormData();
  const bytes = typeof file === "string" ? new TextEncoder().encode(file) : new Uint8Array(file);
  body.append("file", new Blob([bytes]), "app.ndjson");
  if (name !== undefined) body.append("name", name);
  return request("POST", "/api/v1/console/import", { headers: { ...headers }, body });
}

/** The bytes of an export. */
export async function exportFile(
  { baseUrl }: Service,
  headers: Headers,
  appId: string,
  files = false,
): Promise<Buffer> {
  const response = await fetch(`${baseUrl}/api/v1/console/apps/${appId}/export?files=${files ? 1 : 0}`, {
    headers: { ...headers },
  });
  if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
  return Buffer.from(await response.arrayBuffer());
}

export type Line = Record<string, unknown>;

/** The lines of an export, of the first entry if it is an archive. */
export function linesIn(file: Buffer): Line[] {
  const text =
    file[0] === 0x7b ? file : file.subarray(512, 512 + Number.parseInt(file.toString("latin1", 124, 136), 8));
  return text
    .toString()
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
}

/**
 * Lines in which each id is replaced by its number in the order of the file, without the data of one copy of an app:
 * the first line, the members, the last line, and the audit entries of exports and imports.
 */
export function withoutIds(lines: readonly Line[]): Line[] {
  const numbers = new Map<string, string>();
  const numbered = (name: string) => {
    const known = numbers.get(name) ?? `#${numbers.size}`;
    numbers.set(name, known);
    return known;
  };
  const own = /^app\.(export|import)$/;
  return lines
    .filter(
      ({ type, action }) => !["export", "member", "end"].includes(String(type)) && !own.test(String(action)),
    )
    .map((line) =>
      /^(upload|proofImage|picture)$/.test(String(line.type))
        ? { ...line, upload: line.name, name: "" }
        : line,
    )
    .map((line) =>
      JSON.parse(
        JSON.stringify(line)
          .replace(/[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}/g, numbered)
          .replace(/(?<="upload":"|\/uploads\/)[\w.-]+/g, numbered),
      ),
    );
}
