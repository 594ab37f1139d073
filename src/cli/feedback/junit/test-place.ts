import { stat } from "node:fs/promises";
import { dirname, isAbsolute, join, relative, resolve } from "node:path";
import { isUnder } from "../../core/inside-folder.ts";
import { withoutColours } from "./plain-failure.ts";
import type { TestResult } from "./test-result.ts";

/** Where a test stands in the checkout, with slashes as on GitHub. */
export interface Place {
  readonly file: string;
  readonly line: number | undefined;
}

/** The folder of the command, and that of the checkout. */
export interface Folders {
  readonly cwd: string;
  readonly workspace: string;
}

interface Candidate {
  readonly file: string;
  readonly line?: number | undefined;
}

const mostCandidates = 20;

/**
 * The file and line of a failure: from the attributes of the test, else from the name of its class, else the first place in
 * the text of the failure that is a file of the checkout. Undefined if no such file is there.
 */
export async function placeOf(test: TestResult, folders: Folders): Promise<Place | undefined> {
  const inText = placesIn(test.failures.map(({ message, text }) => `${message}\n${text}`).join("\n"));
  const named = [test.file, pathIn(test.className), pathIn(test.suite)].flatMap((file) => file || []);
  const own = named.map((file): Candidate => ({ file, line: test.line ?? lineIn(inText, file) }));
  const ofClass = sourcesOfClass(test).map((file): Candidate => ({ file, line: lineIn(inText, file) }));
  const candidates = [...own, ...ofClass, ...inText.filter(({ file }) => !file.includes("node_modules"))];
  for (const { file, line } of candidates.slice(0, mostCandidates)) {
    const found = await fileIn(folders, file);
    if (found) return { file: found, line };
  }
  return undefined;
}

/** The path of a file in the checkout; undefined if it is not there. */
async function fileIn({ cwd, workspace }: Folders, file: string): Promise<string | undefined> {
  for (const base of isAbsolute(file) ? [cwd] : [cwd, workspace]) {
    const path = resolve(base, file);
    if (!isUnder(workspace, path)) continue;
    const found = await stat(path).catch(() => undefined);
    if (found?.isFile()) return relative(workspace, path).replaceAll("\\", "/");
  }
  return undefined;
}

const longestPath = 4_096;

const pathIn = (name: string): string | undefined =>
  name.length <= longestPath &&
  /^[^\n]*[\\/][^\n]*\.\w{1,6}$|^[\w.-]+\.(?:[cm]?[jt]sx?|py|rb|php)$/.test(name)
    ? name
    : undefined;

const located = /((?:\b[A-Za-z]:)?[^\s"'`()<>[\]{},;=|:]+\.\w{1,6})(?::|", line )(\d{1,6})/g;
const longestScan = 20_000;

/** The places in a text, such as `src/a.ts:12` or `File "a.py", line 12`. */
const placesIn = (text: string): Candidate[] =>
  [...withoutColours(text.slice(0, longestScan)).matchAll(located)].map(([, file = "", line]) => ({
    file: file.replace(/^file:\/\//, ""),
    line: Number(line),
  }));

/** The line that a text gives for a file, which may have fewer folders there. */
function lineIn(places: readonly Candidate[], file: string): number | undefined {
  const name = baseName(file);
  return places.find((place) => baseName(place.file) === name)?.line;
}

const baseName = (path: string): string => path.replace(/^.*[\\/]/, "");

const languages = { java: "java", kotlin: "kt", groovy: "groovy", scala: "scala" } as const;

/** Where Maven and Gradle have the source of a class: in the module whose folder `target` or `build` has the report. */
function sourcesOfClass({ className, suite, report }: TestResult): string[] {
  const name = [className, suite].find((one) => /^[\w$]+(?:\.[\w$]+)+$/.test(one));
  if (name === undefined) return [];
  const [module = ""] = /^(?:.*?(?=(?:^|[\\/])(?:target|build)[\\/]))/.exec(report) ?? [dirname(report)];
  const path = name.replace(/\$.*$/, "").replaceAll(".", "/");
  return Object.entries(languages).map(([folder, ending]) =>
    join(module, "src/test", folder, `${path}.${ending}`),
  );
}
