export type ChangeType = "added" | "changed" | "deprecated" | "removed" | "fixed" | "security";

/** The usual headings of each type of change, in lower case and without signs. */
const headings: Readonly<Record<ChangeType, readonly string[]>> = {
  added: [
    "added",
    "add",
    "additions",
    "new",
    "new features",
    "features",
    "feature",
    "exciting new features",
    "what's new",
    "minor changes",
  ],
  changed: [
    ...["changed", "changes", "change", "improved", "improvements", "enhancements", "updated", "updates"],
    ...["performance", "performance improvements", "breaking changes", "breaking change", "breaking"],
    ...["reverts", "reverted", "major changes", "dependencies"],
  ],
  deprecated: ["deprecated", "deprecations", "deprecates"],
  removed: ["removed", "removals", "remove", "removes"],
  fixed: ["fixed", "fix", "fixes", "bug fixes", "bugfixes", "bug fix", "bugs", "bugs fixed", "patch changes"],
  security: ["security", "security fixes"],
};

/** The same in other languages, as translations of Keep a Changelog and teams write them. */
const otherHeadings: Readonly<Record<ChangeType, readonly string[]>> = {
  added: [
    ...[
      "hinzugefügt",
      "neu",
      "neues",
      "neue funktionen",
      "neuerungen",
      "ajouté",
      "ajoutés",
      "ajout",
      "ajouts",
    ],
    ...["nouveau", "nouveautés", "nouvelles fonctionnalités", "añadido", "añadidos", "agregado", "novedades"],
    ...["nuevo", "nuevas funciones", "aggiunto", "aggiunte", "novità", "adicionado", "adições", "novidades"],
    ...["toegevoegd", "nieuw", "dodane", "dodano", "nowości", "tillagt", "nytt", "добавлено", "новое"],
    ...["追加", "新機能", "新增", "添加", "추가"],
  ],
  changed: [
    ...["geändert", "änderungen", "verbessert", "verbesserungen", "modifié", "modifiés", "modifications"],
    ...["changé", "changements", "améliorations", "amélioré", "cambiado", "cambios", "modificado", "mejoras"],
    ...["modificato", "cambiato", "modifiche", "miglioramenti", "alterado", "mudanças", "melhorias"],
    ...["gewijzigd", "verbeterd", "zmienione", "zmieniono", "zmiany", "ändrat", "изменено", "улучшено"],
    ...["変更", "改善", "变更", "更改", "變更", "改进", "변경"],
  ],
  deprecated: [
    ...["veraltet", "obsolète", "obsolètes", "déprécié", "dépréciés", "obsoleto", "en desuso", "deprecado"],
    ...["deprecato", "descontinuado", "verouderd", "przestarzałe", "föråldrat", "устарело"],
    ...["非推奨", "弃用", "廢棄", "废弃", "지원 중단"],
  ],
  removed: [
    ...["entfernt", "supprimé", "supprimés", "suppressions", "retiré", "retirés", "eliminado", "eliminados"],
    ...["rimosso", "rimossi", "removido", "removidos", "verwijderd", "usunięte", "usunięto", "borttaget"],
    ...["удалено", "削除", "移除", "删除", "제거"],
  ],
  fixed: [
    ...["behoben", "korrigiert", "fehlerbehebungen", "fehlerbehebung", "korrekturen", "corrigé", "corrigés"],
    ...["corrections", "corrections de bugs", "corregido", "corregidos", "arreglado", "correcciones"],
    ...["corretto", "risolto", "correzioni", "corrigido", "correções", "opgelost", "hersteld", "naprawione"],
    ...["naprawiono", "poprawki", "fixat", "rättat", "исправлено", "исправления"],
    ...["修正", "不具合修正", "修复", "修復", "수정"],
  ],
  security: [
    ...["sicherheit", "sécurité", "seguridad", "sicurezza", "segurança", "beveiliging", "bezpieczeństwo"],
    ...["säkerhet", "безопасность", "セキュリティ", "安全", "보안"],
  ],
};

const types: readonly ChangeType[] = ["added", "changed", "deprecated", "removed", "fixed", "security"];

const byHeading = new Map(
  types.flatMap((type) =>
    [...headings[type], ...otherHeadings[type]].map((heading) => [heading, type] as const),
  ),
);

/** The words that open a change without a heading, in any form: `Fix the list`, `feat(maps): …`. */
const byWord = new Map<string, ChangeType>([
  ...byHeading,
  ...["feat", "adds", "introduce", "introduces"].map((word) => [word, "added"] as const),
  ...["bugfix", "hotfix", "resolve", "resolves", "resolved"].map((word) => [word, "fixed"] as const),
  ...["deprecate"].map((word) => [word, "deprecated"] as const),
  ...["perf", "refactor", "revert", "update", "improve", "improves", "changes", "rename", "move"].map(
    (word) => [word, "changed"] as const,
  ),
]);

/** The type of the changes under a heading; undefined for any other heading. */
export const typeOfHeading = (text: string): ChangeType | undefined =>
  byHeading.get(wordsOf(text)) ?? (isMixedHeading(text) ? "changed" : undefined);

/** Headings of tools for what an app's users do not see. */
const hidden =
  /^(?:miscellaneous )?(?:chores?|tests?|styles?|docs|documentation|build(?: system)?|ci|continuous integration|code refactoring|refactors?|refactoring|internal|maintenance|housekeeping|miscellaneous|miscellaneous tasks|new contributors|contributors|commits)$/;

export const isHiddenHeading = (text: string): boolean => hidden.test(wordsOf(text));

/** Whether a heading stands over changes of all types, as GitHub writes it: the words of each change say its type. */
const isMixedHeading = (text: string): boolean => /^(?:what's changed|other changes)$/.test(wordsOf(text));

/** How bots and tools write of dependencies, packages and releases, in lower case. */
const ofTools = [
  /^updated dependencies\b/,
  /^bump \S+(?: and \S+)? from \S+ to /,
  /^(?:update|pin) (?:dependency \S+ to |all (?:non-major )?dependencies\b)/,
  /^(?:pin dependencies|lock file maintenance)\b/,
  /^\[pre-commit\.ci\] /,
  /\sby @[\w-]+\[bot\](?:\s|$)/,
  /^@?[\w-]+(?:[./][\w-]+)*@\d+\.\d+\.\d+[\w.+-]*$/,
  /^(?:releases? v?\d+\.\d+\S*|merge (?:pull request #\d|(?:remote-tracking )?branch '|tag ').*)$/,
  /^version bump only for package /,
];

/** The scope that they write before it. */
const ofDependencies = /^(?:(?:chore|build|fix|ci)\([\w-]*deps[\w-]*\)|deps(?:-\w+)?): /;

/** Whether a tool or bot wrote of what concerns no user of an app. */
export function isOfTools(text: string): boolean {
  const plain = text.toLowerCase().replace(ofDependencies, "");
  return ofTools.some((pattern) => pattern.test(plain));
}

/** What a tool or a conventional commit calls a change that an app's users do not see. */
export const isHiddenChange = (text: string): boolean =>
  isOfTools(text) || /^(?:chore|ci|docs|tests?|build|style|refactor)(?:\([^)]*\))?: /i.test(text);

/** Whether the changes under a heading break something. */
export const isBreakingHeading = (text: string): boolean => /^breaking(?: changes?)?$/.test(wordsOf(text));

/** Whether a heading says how large the changes are, as changesets writes it: the words of each change are more exact. */
export const isSizeHeading = (text: string): boolean =>
  /^(?:major|minor|patch) changes$/.test(wordsOf(text)) || isMixedHeading(text);

/** The words of a heading, without signs and the count that GitLab adds: `added (2 changes)`. */
const wordsOf = (text: string): string =>
  text
    .normalize("NFC")
    .replace(/\s\(\d+ changes?\)$/, "")
    .replaceAll("’", "'")
    .replace(/[^\p{L}\p{N}' ]/gu, " ")
    .replace(/\s+/g, " ")
    .trim()
    .toLowerCase();

/** The change and its type of a line such as `Fixed: the list`, `[NEW] Maps`, `fix(list)!: …` or `Fix the list`. */
export function labelledChange(text: string): { type: ChangeType; text: string } | undefined {
  const [, bracketed, labelled, rest = ""] =
    /^(?:\[([\p{L} ]+)\]:?\s*|([\p{L} ]+?)(?:\([^)]*\))?!?(?::|\s[-–—])\s+)(.+)$/su.exec(text) ?? [];
  const label = byWord.get((bracketed ?? labelled ?? "").trim().toLowerCase());
  if (label) return { type: label, text: rest };
  const verb = byWord.get(/^(\p{L}+)\s/u.exec(text)?.[1]?.toLowerCase() ?? "");
  return verb && { type: verb, text };
}
