const longest = 200;

// Matches line and paragraph breaks, and all invisible characters that can change the order of text or hide text.
const unseen = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/**
 * Returns the last part of a path, or `fallback`. Cuts the name to 200 code points, but keeps its extension.
 * (rule F5)
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

/** The allowed extensions of each media type. A file with another extension gets the first extension of its type. */
const endings: Readonly<Record<string, readonly string[]>> = {
  "image/png": [".png"],
  "image/jpeg": [".jpg", ".jpeg", ".jpe", ".jfif"],
  "image/webp": [".webp"],
  "image/gif": [".gif"],
  "video/mp4": [".mp4", ".m4v"],
  "video/webm": [".webm"],
  "video/quicktime": [".mov", ".qt"],
  "application/pdf": [".pdf"],
};

/** Returns the extension for a media type; an empty text for an unknown type. */
export const endingOf = (mediaType: string): string => endings[mediaType]?.[0] ?? "";

/** Returns the name with an extension for the media type. Programs need the extension to open the file. */
export function nameFor(mediaType: string, name: string): string {
  const fitting = endings[mediaType] ?? [""];
  const bare = name.replace(/(?<![. ])[. ]+$/, "");
  const isFitting = (text: string) => fitting.some((ending) => text.toLowerCase().endsWith(ending));
  if (isFitting(bare)) return bare;
  const stem = bare.replace(/(?!^)\.[\p{L}][\p{L}\p{N}]{0,9}$/u, "");
  if (isFitting(stem)) return stem;
  const ending = fitting[0] ?? "";
  return [...stem].slice(0, longest - ending.length).join("") + ending;
}
