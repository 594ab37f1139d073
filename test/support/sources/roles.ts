import { codeOf, type Imports } from "./imports.ts";
import type { Tree } from "./tree.ts";

/** The areas of the server. Each has a folder for each of its subjects. */
export const areas = ["feedback", "content", "testing", "mail", "access", "notices", "webhooks"] as const;

/** The areas whose files must follow all rules below: all areas. */
export const strictAreas: readonly string[] = areas;

const roles = ["api", "answer", "rules", "store", "page"] as const;
export type Role = (typeof roles)[number];

/** The place of a file: `server/<area>/<subject>/<role>.ts`, or a file in a folder with the name of the role. */
export interface Place {
  readonly area: string;
  readonly subject: string;
  readonly role: Role;
}

/** The place of a file; undefined for a file that has no role. */
export function placeOf(file: string): Place | undefined {
  const [, area = "", subject = "", name = ""] =
    /^server\/([^/]+)\/([^/]+)\/([^/.]+)(?:\.tsx?$|\/.)/.exec(file) ?? [];
  const role = roles.find((one) => one === name);
  return role && isArea(area) ? { area, subject, role } : undefined;
}

const isArea = (name: string): boolean => areas.some((area) => area === name);

/** The kind of a file in the rules: its role, or the part of the product that it belongs to. */
type Kind = Role | Layer | "package" | "other";
type Layer = (typeof layers)[number][0];

const layers = [
  ["contract", "src/contract/"],
  ["client", "src/client/"],
  ["cli", "src/cli/"],
  ["mcp", "mcp/"],
  ["http", "server/http/"],
  ["database", "server/database/"],
  ["console", "server/console/"],
  ["words", "src/words/"],
  ["server", "server/"],
  ["src", "src/"],
  ["bin", "bin/"],
] as const;

const kindOf = (name: string): Kind => placeOf(name)?.role ?? layerOf(name) ?? "package";
const layerOf = (name: string): Layer | undefined =>
  layers.find(([, folder]) => name.startsWith(folder))?.[0];

interface Row {
  /** The files that may be imported from all subjects. */
  readonly may: readonly Kind[];
  /** The files that may be imported only from the same subject. */
  readonly own?: readonly Kind[];
  /** Packages by their names; undefined if only `import-rules.ts` checks them. */
  readonly packages?: readonly string[];
}

/** The other folders of the server, such as secrets and files. `import-rules.ts` checks imports of them. */
const rest = ["server", "src", "words"] as const;

/** A file of one of these kinds imports only what its row names. */
const rows: Partial<Record<Kind, Row>> = {
  rules: { may: ["rules", "contract", "words"], packages: ["semver", "temporal-polyfill"] },
  store: { may: ["store", "rules", "contract", "database", ...rest] },
  answer: { may: ["answer", "store", "rules", "contract", ...rest] },
  api: { may: ["answer", "rules", "store", "contract", "http", "database", ...rest], own: ["api"] },
  page: { may: ["api", "rules", "console", "contract", "http", ...rest], own: ["page"] },
  contract: { may: ["contract"], packages: ["zod"] },
  client: { may: ["client", "contract"] },
  cli: { may: ["cli", "client", "contract", "words", "src"] },
  mcp: { may: ["mcp", "client", "contract", "words", "src"] },
};

/** Parts that all subjects use, and that name no subject. */
const namesNoSubject: readonly Kind[] = ["http", "database"];

/** A place in the code that does not follow a rule. */
export interface RoleBreach {
  readonly rule: string;
  readonly file: string;
  /** What the file imports or names. */
  readonly what: string;
  /** The area that the file or its import belongs to, if any. */
  readonly area: string | undefined;
}

/** The breaches of the rules by role, in the order of the files. */
export const roleBreachesIn = (tree: Tree, imports: Imports): RoleBreach[] => [
  ...[...imports].flatMap(([file, names]) => names.flatMap((name) => importBreach(file, name) ?? [])),
  ...processBreaches(tree),
  ...heavyImports(imports),
];

/** The breaches in some areas, as `file: rule (what)`. */
export const breachesInAreas = (breaches: readonly RoleBreach[], strict: readonly string[]): string[] =>
  breaches
    .filter(({ area }) => area !== undefined && strict.includes(area))
    .map(({ rule, file, what }) => `${file}: ${rule} (${what})`);

function importBreach(file: string, name: string): RoleBreach | undefined {
  const kind = kindOf(file);
  const area = placeOf(file)?.area ?? placeOf(name)?.area;
  if (namesNoSubject.includes(kind) && placeOf(name))
    return { rule: `${kind} names no subject`, file, what: name, area };
  const row = rows[kind];
  if (row === undefined || isAllowed(row, file, name)) return undefined;
  return { rule: `${kind} imports ${inWords(row)}`, file, what: name, area };
}

function isAllowed({ may, own = [], packages }: Row, file: string, name: string): boolean {
  const kind = kindOf(name);
  if (kind === "package")
    return packages === undefined || packages.some((one) => name === one || name.startsWith(`${one}/`));
  return may.includes(kind) || (own.includes(kind) && isSameSubject(file, name));
}

const isSameSubject = (file: string, other: string): boolean =>
  placeOf(file)?.area === placeOf(other)?.area && placeOf(file)?.subject === placeOf(other)?.subject;

function inWords({ may, own = [], packages = [] }: Row): string {
  const named = may.filter((kind) => !rest.some((one) => one === kind));
  return `only ${[...named, ...own.map((kind) => `its own ${kind}`), ...packages].join(", ")}`;
}

const processRules: [string, RegExp, RegExp][] = [
  [
    "process.env is read only in bin, settings and the library for tests of apps",
    /\bprocess\.env\b/,
    /^(bin\/|server\/settings\b|src\/local\/testing\b)/,
  ],
  ["process.exit is called only in bin", /\bprocess\.exit\b/, /^bin\//],
];

const processBreaches = (tree: Tree): RoleBreach[] =>
  processRules.flatMap(([rule, pattern, allowed]) =>
    [...tree].flatMap(([file, text]) => {
      const what = allowed.test(file) ? undefined : pattern.exec(codeOf(text))?.[0];
      return what === undefined ? [] : [{ rule, file, what, area: placeOf(file)?.area }];
    }),
  );

/** The server, and packages that only it needs. They make a command slow to start. */
const heavy = /^(server\/|@?koa\b|pg$|sqlite3$|node:sqlite$)/;

/**
 * The imports of slow packages by the command line, or by a file that it imports directly or indirectly. Dynamic
 * imports count, too.
 */
function heavyImports(imports: Imports): RoleBreach[] {
  const reached = new Set([...imports.keys()].filter((file) => file.startsWith("src/cli/")));
  const breaches: RoleBreach[] = [];
  for (const file of reached) {
    for (const name of imports.get(file) ?? []) {
      if (heavy.test(name))
        breaches.push({ rule: "cli loads no koa and no database", file, what: name, area: undefined });
      else if (imports.has(name)) reached.add(name);
    }
  }
  return breaches;
}
