import { calleeOf, type Wanted } from "./slices.ts";
import { around, isFunction, listOf, nameOf, partOf, type Source, type Syntax } from "./syntax.ts";

/** A place in the sources that passes a statement to the database. */
export interface Place {
  readonly source: Source;
  readonly call: Syntax;
  /**
   * The call creates a function that queries the database, such as `update`. Undefined if the place passes a text
   * itself.
   */
  readonly maker: Maker | undefined;
  /** The file and the functions around it: `server/jobs/store.ts times.last`. */
  readonly name: string;
  /** For people: `server/jobs/store.ts:11`. */
  readonly at: string;
  /** The first and the second argument. A text has only the first one. */
  readonly given: readonly Wanted[];
  /** The row type in the call. */
  readonly rowType: Syntax | undefined;
  /** Whether the code uses the answer. */
  readonly isRead: boolean;
}

const makers = ["oneForViewer", "eachForViewer", "update", "insert"] as const;

export type Maker = (typeof makers)[number];

export const placesIn = (source: Source): Place[] =>
  source.nodes.filter(({ type }) => type === "CallExpression").flatMap((call) => placeOf(source, call));

function placeOf(source: Source, call: Syntax): Place[] {
  const called = calleeOf(call);
  const maker = makers.find((one) => one === called && source.imports.has(one));
  const rowType = listOf(partOf(call, "typeArguments"), "params")[0];
  if (maker === undefined && !asksDatabase(call, called, rowType)) return [];
  const line = source.text.slice(0, call.start).split("\n").length;
  const given = listOf(call, "arguments").slice(0, maker === undefined ? 1 : 2);
  return [
    {
      ...{ source, call, maker, rowType },
      isRead: !isDropped(source, call),
      name: `${source.file} ${namesAround(source, call)}`,
      at: `${source.file}:${line}`,
      given: given.map((node) => ({ source, node })),
    },
  ];
}

function isDropped(source: Source, call: Syntax): boolean {
  const outer = source.above.get(call);
  const above = outer?.type === "AwaitExpression" ? source.above.get(outer) : outer;
  return above?.type === "ExpressionStatement";
}

/** Whether it is a call of a reader or a transaction: a call with a row type, or on an object with such a name. */
function asksDatabase(call: Syntax, called: string, rowType: Syntax | undefined): boolean {
  const callee = partOf(call, "callee");
  const method = callee?.type === "MemberExpression" ? nameOf(partOf(callee, "property")) : "";
  if (rowType !== undefined) return method === "get" || method === "all";
  return /^(reader|tx|database)\.(get|all|run)$/.test(called);
}

/** The names of the functions and objects around a node, the outermost first. */
function namesAround(source: Source, node: Syntax): string {
  const names: string[] = [];
  for (const outer of around(source, node)) {
    const value = partOf(outer, "init") ?? partOf(outer, "value");
    const holds =
      outer.type === "FunctionDeclaration" || isFunction(value) || value?.type === "ObjectExpression";
    const isTop =
      outer.type === "VariableDeclarator" &&
      source.above.get(source.above.get(outer) ?? outer)?.type === "Program";
    const name = nameOf(partOf(outer, "id")) || nameOf(partOf(outer, "key"));
    if (
      (holds || isTop) &&
      name !== "" &&
      /^(FunctionDeclaration|VariableDeclarator|Property)$/.test(outer.type)
    )
      names.unshift(name);
  }
  return names.join(".");
}

/**
 * The possible values of a property: texts with which sources compare its name, and keys of objects in which they look
 * it up.
 */
export function literalsIn(sources: readonly Source[]): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, Set<string>>();
  const add = (node: Syntax | undefined, texts: readonly string[]) => {
    const name = nameOf(node) || nameOf(partOf(node, "property"));
    if (name === "" || name === "engine") return;
    for (const text of texts) found.set(name, (found.get(name) ?? new Set()).add(text));
  };
  for (const source of sources) {
    const objects = objectsIn(source);
    for (const node of source.nodes) {
      const right = partOf(node, "right");
      if (node.type === "BinaryExpression" && typeof right?.value === "string")
        add(partOf(node, "left"), [right.value]);
      if (node.type === "MemberExpression" && node.computed === true)
        add(partOf(node, "property"), objects.get(nameOf(partOf(node, "object"))) ?? []);
    }
  }
  return new Map([...found].map(([name, texts]) => [name, [...texts]]));
}

/** The keys of the objects that a source declares, by their names. */
function objectsIn({ nodes }: Source): ReadonlyMap<string, string[]> {
  const found = new Map<string, string[]>();
  for (const node of nodes) {
    if (node.type !== "VariableDeclarator") continue;
    const init = partOf(node, "init");
    const object = init?.type === "TSAsExpression" ? partOf(init, "expression") : init;
    const keys = listOf(object, "properties").map((one) => nameOf(partOf(one, "key")));
    if (object?.type === "ObjectExpression")
      found.set(
        nameOf(partOf(node, "id")),
        keys.filter((key) => key !== ""),
      );
  }
  return found;
}
