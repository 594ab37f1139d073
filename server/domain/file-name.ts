const longest = 200;

// Line and paragraph breaks, and everything invisible that reorders or hides text, such as RTL overrides.
const unseen = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/**
 * The last part of a path that a sender gave, without control, bidirectional and other invisible characters, at most
 * 200 code points with its extension kept; `fallback` where nothing is left. (decisions 1: Text limits)
 */
export function cleanFileName(name: string | null | undefined, fallback: string): string {
  const last = (name ?? "").replace(unseen, "").split(/[/\\]/).at(-1) ?? "";
  const cleaned = last.trim();
  return /^\.*$/.test(cleaned) ? fallback : shorten(cleaned);
}

function shorten(name: string): string {
  const points = [...name];
  if (points.length <= longest) return name;
  const extension = [...(/\.[\p{L}\p{N}]{1,10}$/u.exec(name)?.[0] ?? "")];
  return points.slice(0, longest - extension.length).join("") + extension.join("");
}
