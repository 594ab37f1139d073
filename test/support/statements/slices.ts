import {
  around,
  isFunction,
  listOf,
  nameOf,
  partOf,
  type Source,
  type Syntax,
  textOf,
  within,
} from "./syntax.ts";

/** An expression whose value is needed outside of its function. */
export interface Wanted {
  readonly source: Source;
  readonly node: Syntax;
}

/** Returns the name of an expression. */
export const idOf = ({ source, node }: Wanted): string => `${source.file}#${node.start}-${node.end}`;

/** The declaration of a name inside a function. */
interface Binding {
  readonly name: string;
  readonly scope: Syntax;
  readonly declares: Syntax;
  readonly kind: "variable" | "function" | "parameter";
}

/**
 * Writes, for each of these expressions, a function that returns its values without the surrounding code. It repeats
 * the constants above the expression, and takes the values of parameters from the places that call the function. A
 * value that comes from a request or a row is `$run.any`. These functions are at the end of a copy of the file, so that
 * they can use its module.
 */
export function slicesOf(
  sources: readonly Source[],
  wanted: readonly Wanted[],
  examples: ReadonlySet<string>,
): ReadonlyMap<string, string[]> {
  const calls = callsByName(sources);
  const waiting = [...wanted];
  const known = new Set(waiting.map(idOf));
  const texts = new Map<string, string[]>();

  /** The code that requests the value of another expression. */
  const askFor = (other: Wanted): string => {
    const id = idOf(other);
    if (!known.has(id)) waiting.push(other);
    known.add(id);
    return `$run.at(${JSON.stringify(id)})`;
  };

  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { file } = next.source;
    const body = bodyOf(next, { sources, calls, examples, askFor });
    const text = `$slices.set(${JSON.stringify(idOf(next))}, ($run) => {${body}});`;
    texts.set(file, [...(texts.get(file) ?? []), text]);
  }
  return texts;
}

interface Tools {
  readonly sources: readonly Source[];
  readonly calls: ReadonlyMap<string, readonly Wanted[]>;
  /** `file name`: the value of this name in the file is in the list in `check.ts`. */
  readonly examples: ReadonlySet<string>;
  readonly askFor: (other: Wanted) => string;
}

function bodyOf({ source, node }: Wanted, tools: Tools): string {
  if (awaits(source, node)) return `return $run.any("awaited");`;
  const lines: string[] = [];
  const done = new Map<string, Syntax>();
  const written = new Set<Syntax>();

  /** The names of functions around it that an expression uses. */
  const usedBy = (root: Syntax): Binding[] =>
    within(source, root).flatMap((one) => {
      const binding = isReference(source, one) ? bindingOf(source, nameOf(one), one) : undefined;
      return binding === undefined || isInside(binding.scope, root) ? [] : [binding];
    });

  /** Declares the names that an expression uses. Its own names come first, so that no dependency takes them. */
  const need = (root: Syntax): void => {
    const used = usedBy(root);
    for (const binding of used)
      if (!done.has(binding.name))
        for (const name of namesDeclared(source, binding)) done.set(name, binding.declares);
    for (const binding of used) {
      if (written.has(binding.declares)) continue;
      written.add(binding.declares);
      lines.push(declarationsOf(binding));
    }
  };

  /**
   * The code of an expression, after everything that it uses is declared. If names are already in use, it becomes
   * another slice.
   */
  const inline = (root: Syntax): string => {
    if (usedBy(root).some(({ name, declares }) => done.has(name) && done.get(name) !== declares))
      return tools.askFor({ source, node: root });
    need(root);
    return textOf(source, root);
  };

  /** The names that are declared together, without those in the list in `check.ts`. */
  const declarationsOf = (binding: Binding): string => {
    const names = namesDeclared(source, binding);
    const isGiven = (name: string) => tools.examples.has(`${source.file} ${name}`);
    if (!names.some(isGiven)) return declarationOf(binding);
    const others = names.filter((name) => !isGiven(name)).join(", ");
    return [
      ...names
        .filter(isGiven)
        .map((name) => `const ${name} = $run.example(${JSON.stringify(`${source.file} ${name}`)});`),
      others === ""
        ? ""
        : `const { ${others} } = (() => { ${declarationOf(binding)} return { ${others} }; })();`,
    ].join("\n");
  };

  const declarationOf = (binding: Binding): string => {
    if (binding.kind === "function") {
      need(binding.declares);
      return textOf(source, binding.declares);
    }
    if (binding.kind === "parameter") return parameterOf(binding);
    const { declares } = binding;
    const name = partOf(declares, "id");
    const loop = source.above.get(source.above.get(declares) ?? declares);
    const pattern = patternOf(source, name);
    if (name) needDefaults(name);
    if (loop && /^For(Of|In)Statement$/.test(loop.type)) {
      const list = partOf(loop, "right");
      if (!list || awaits(source, list)) return `const ${pattern} = $run.any(${label(pattern)});`;
      return `const ${pattern} = $run.each(${key(declares)}, ${inline(list)});`;
    }
    const init = partOf(declares, "init");
    if (!init || awaits(source, init) || isEmpty(init))
      return `const ${pattern} = $run.any(${label(pattern)});`;
    const value = inline(init);
    const isConstant = source.above.get(declares)?.kind === "const";
    return isConstant
      ? `const ${pattern} = ${value};`
      : `const ${pattern} = $run.pick(${key(declares)}, [() => ${value}, () => $run.any(${label(pattern)})]);`;
  };

  const needDefaults = (pattern: Syntax): void => {
    for (const one of within(source, pattern)) {
      const value = one.type === "AssignmentPattern" ? partOf(one, "right") : undefined;
      if (value) need(value);
    }
  };

  const parameterOf = ({ scope, declares }: Binding): string => {
    const index = listOf(scope, "params").indexOf(declares);
    if (declares.type === "RestElement") return `const ${nameOf(partOf(declares, "argument"))} = [];`;
    needDefaults(declares);
    const pattern = patternOf(source, declares);
    if (/\b(Reader|Transaction|Database|Inserter)\b/.test(typeOf(source, declares)))
      return `const ${pattern} = $run.any("reader");`;
    const given = [...new Set(argumentsOf({ source, node: scope }, index, tools))];
    const maybe = /\?:|\bundefined\b/.test(textOf(source, declares)) ? ", true" : "";
    const values = given.length > 0 ? given : [`$run.any(${label(pattern)}${maybe})`];
    const choices = values.map((value) => `() => ${value}`).join(", ");
    // As an item of a list, it gets the default value of the pattern if it is undefined.
    return `const [${pattern}] = [$run.pick(${key(declares)}, [${choices}])];`;
  };

  const key = ({ start }: Syntax): string => JSON.stringify(`${source.file}#${start}`);

  for (const { test, holds } of guardsOf(source, node)) {
    const text = inline(test);
    lines.push(`$run.only(${holds} === Boolean(${text}));`);
  }
  const text = inline(node);
  return `${lines.join("\n")}\nreturn (${text});`;
}

/** The name of an object about which nothing is known. */
const label = (pattern: string): string =>
  JSON.stringify(
    pattern.startsWith("{") || pattern.startsWith("[") ? "given" : pattern.replace(/ = .*/s, ""),
  );

/** Whether it is a list or a map that the code fills later. */
const isEmpty = (init: Syntax): boolean =>
  (init.type === "ArrayExpression" && listOf(init, "elements").length === 0) ||
  (init.type === "NewExpression" && listOf(init, "arguments").length === 0);

/** Whether an expression contains `await`, not counting the functions inside it. */
const awaits = (source: Source, node: Syntax): boolean =>
  within(source, node).some(
    (one) =>
      one.type === "AwaitExpression" &&
      ![...around(source, one)].some((outer) => isFunction(outer) && isInside(outer, node)),
  );

const isInside = (inner: Syntax, outer: Syntax): boolean =>
  inner.start >= outer.start && inner.end <= outer.end;

function isReference(source: Source, node: Syntax): boolean {
  if (node.type !== "Identifier") return false;
  const parent = source.above.get(node);
  if (parent === undefined) return false;
  if (parent.type === "MemberExpression") return parent.object === node || parent.computed === true;
  if (parent.type === "Property") return parent.value === node || parent.computed === true;
  return !/^TS(TypeReference|PropertySignature|QualifiedName|TypeParameter)/.test(parent.type);
}

function bindingOf(source: Source, name: string, from: Syntax): Binding | undefined {
  for (const scope of around(source, from)) {
    if (scope.type === "Program") return undefined;
    const found = bindingsIn(source, scope).find((binding) => binding.name === name);
    if (found) return found;
  }
  return undefined;
}

const remembered = new WeakMap<Syntax, Binding[]>();

function bindingsIn(source: Source, scope: Syntax): Binding[] {
  const known = remembered.get(scope) ?? findBindings(source, scope);
  remembered.set(scope, known);
  return known;
}

function findBindings(source: Source, scope: Syntax): Binding[] {
  if (isFunction(scope))
    return listOf(scope, "params").flatMap((declares) =>
      namesIn(source, declares).map((name) => ({ name, scope, declares, kind: "parameter" as const })),
    );
  const statements =
    scope.type === "BlockStatement"
      ? listOf(scope, "body")
      : [partOf(scope, "left"), partOf(scope, "init")].filter((one) => one !== undefined);
  return statements.flatMap((statement): Binding[] => {
    if (statement.type === "FunctionDeclaration")
      return [{ name: nameOf(partOf(statement, "id")), scope, declares: statement, kind: "function" }];
    if (statement.type !== "VariableDeclaration") return [];
    return listOf(statement, "declarations").flatMap((declares) => {
      const pattern = partOf(declares, "id");
      const names = pattern ? namesIn(source, pattern) : [];
      return names.map((name) => ({ name, scope, declares, kind: "variable" as const }));
    });
  });
}

const namesDeclared = (source: Source, { scope, declares }: Binding): string[] =>
  bindingsIn(source, scope)
    .filter((one) => one.declares === declares)
    .map(({ name }) => name);

/** The names that a pattern declares. */
function namesIn(source: Source, pattern: Syntax): string[] {
  if (pattern.type === "Identifier") return [nameOf(pattern)];
  if (pattern.type === "AssignmentPattern") return namesIn(source, partOf(pattern, "left") ?? pattern);
  if (pattern.type === "RestElement") return namesIn(source, partOf(pattern, "argument") ?? pattern);
  if (pattern.type === "ArrayPattern")
    return listOf(pattern, "elements").flatMap((one) => namesIn(source, one));
  if (pattern.type !== "ObjectPattern") return [];
  return listOf(pattern, "properties").flatMap((one) => namesIn(source, partOf(one, "value") ?? one));
}

/** A pattern without its type. */
function patternOf(source: Source, pattern: Syntax | undefined): string {
  if (pattern === undefined) return "_";
  if (pattern.type === "Identifier") return nameOf(pattern);
  const [left, right] = [partOf(pattern, "left"), partOf(pattern, "right")];
  if (pattern.type === "AssignmentPattern" && right)
    return `${patternOf(source, left)} = ${textOf(source, right)}`;
  const type = partOf(pattern, "typeAnnotation");
  return source.text.slice(pattern.start, type?.start ?? pattern.end);
}

function typeOf(source: Source, pattern: Syntax): string {
  const type = partOf(pattern, "typeAnnotation");
  return type ? textOf(source, type) : "";
}

interface Guard {
  readonly test: Syntax;
  readonly holds: boolean;
}

/** The condition on the engine under which a program executes this place. */
function guardsOf(source: Source, node: Syntax): Guard[] {
  const guards: Guard[] = [];
  const add = (test: Syntax | undefined, holds: boolean) => {
    if (test && /engine/.test(textOf(source, test)) && !awaits(source, test)) guards.push({ test, holds });
  };
  let inner = node;
  for (const outer of around(source, node)) {
    if (/^(IfStatement|ConditionalExpression)$/.test(outer.type)) {
      if (outer.consequent === inner) add(partOf(outer, "test"), true);
      if (outer.alternate === inner) add(partOf(outer, "test"), false);
    }
    if (outer.type === "LogicalExpression" && outer.right === inner && outer.operator === "&&")
      add(partOf(outer, "left"), true);
    if (outer.type === "BlockStatement")
      for (const before of listOf(outer, "body")) {
        if (before === inner) break;
        if (before.type === "IfStatement" && endsThere(partOf(before, "consequent")))
          add(partOf(before, "test"), false);
      }
    inner = outer;
  }
  return guards.reverse();
}

function endsThere(statement: Syntax | undefined): boolean {
  if (statement === undefined) return false;
  if (statement.type === "BlockStatement") return endsThere(listOf(statement, "body").at(-1));
  return /^(Return|Throw|Continue)Statement$/.test(statement.type);
}

/** All calls, by the name that is called: `find` or `threads.find`. */
function callsByName(sources: readonly Source[]): ReadonlyMap<string, Wanted[]> {
  const found = new Map<string, Wanted[]>();
  for (const source of sources)
    for (const node of source.nodes) {
      const name = node.type === "CallExpression" ? calleeOf(node) : "";
      if (name !== "") found.set(name, [...(found.get(name) ?? []), { source, node }]);
    }
  return found;
}

export function calleeOf(call: Syntax): string {
  const callee = partOf(call, "callee");
  if (callee?.type !== "MemberExpression") return nameOf(callee);
  const [object, property] = [nameOf(partOf(callee, "object")), nameOf(partOf(callee, "property"))];
  return object === "" || property === "" ? "" : `${object}.${property}`;
}

/** The values that the calls of a function pass to one of its parameters. */
function argumentsOf(of: Wanted, index: number, tools: Tools): string[] {
  const { source, node } = of;
  const outer = source.above.get(node);
  if (outer?.type === "CallExpression" && listOf(outer, "arguments").includes(node))
    return argumentsOfCallback(of, { call: outer, index }, tools);
  return callsOf(of, tools).flatMap((call) => argumentAt(call, index, tools));
}

function argumentAt({ source, node }: Wanted, index: number, { askFor }: Tools): string[] {
  const given = listOf(node, "arguments").flatMap((one) => {
    const spread = one.type === "SpreadElement" ? partOf(one, "argument") : undefined;
    return spread?.type === "ArrayExpression" ? listOf(spread, "elements") : [one];
  });
  if (given.slice(0, index + 1).some(({ type }) => type === "SpreadElement")) return [];
  const value = given[index];
  return [value === undefined ? "undefined" : askFor({ source, node: value })];
}

/** The calls of a function that has a name, in its file and in those that import it. */
function callsOf({ source, node }: Wanted, { calls }: Tools): readonly Wanted[] {
  const declarator = source.above.get(node);
  const name = nameOf(partOf(node, "id")) || nameOf(partOf(declarator, "id"));
  if (name !== "") return callsFrom(source, name, "", calls);
  if (declarator?.type !== "Property") return [];
  const member = nameOf(partOf(declarator, "key"));
  for (const outer of around(source, declarator)) {
    if (isFunction(outer)) return [];
    const object = outer.type === "VariableDeclarator" ? nameOf(partOf(outer, "id")) : "";
    if (object !== "") return callsFrom(source, object, `.${member}`, calls);
  }
  return [];
}

const callsFrom = (of: Source, name: string, member: string, calls: Tools["calls"]): Wanted[] => {
  const here = (calls.get(`${name}${member}`) ?? []).filter(({ source }) => source === of);
  const elsewhere = [...calls].flatMap(([called, all]) => {
    if (!called.endsWith(member)) return [];
    const local = called.slice(0, called.length - member.length);
    return all.filter(({ source }) => {
      const imported = source.imports.get(local);
      return imported?.from === of.file && imported.name === name;
    });
  });
  return [...here, ...elsewhere];
};

/** A function that is passed to another one: the arguments with which that one calls it. */
function argumentsOfCallback(
  of: Wanted,
  { call, index }: { readonly call: Syntax; readonly index: number },
  tools: Tools,
): string[] {
  const { source } = of;
  const callee = partOf(call, "callee");
  const list = callee?.type === "MemberExpression" ? partOf(callee, "object") : undefined;
  const method = nameOf(partOf(callee, "property"));
  if (list && /^(map|flatMap|filter|forEach|some|every|find)$/.test(method)) {
    const value = tools.askFor({ source, node: list });
    return index === 0 ? [`$run.each(${JSON.stringify(idOf({ source, node: list }))}, ${value})`] : ["0"];
  }
  const called = functionNamed(source, nameOf(callee), tools.sources);
  if (!called) return [];
  const parameter = listOf(called.node, "params")[listOf(call, "arguments").indexOf(of.node)];
  const name = nameOf(parameter);
  return within(called.source, called.node)
    .filter((one) => one.type === "CallExpression" && name !== "" && calleeOf(one) === name)
    .flatMap((node) => argumentAt({ source: called.source, node }, index, tools));
}

function functionNamed(source: Source, name: string, sources: readonly Source[]): Wanted | undefined {
  if (name === "") return undefined;
  const imported = source.imports.get(name);
  const home = imported ? sources.find(({ file }) => file === imported.from) : source;
  const wanted = imported?.name ?? name;
  const node = home?.nodes.find(
    (one) =>
      isFunction(one) &&
      (nameOf(partOf(one, "id")) === wanted || nameOf(partOf(home.above.get(one), "id")) === wanted),
  );
  return home && node ? { source: home, node } : undefined;
}
