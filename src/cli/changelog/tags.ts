import { isSameVersion, plainVersion } from "../../contract/version.ts";

/** The version of a tag: `v2.4.0`, `app@2.4.0`, `release-2.4.0`, `android/v2.4.0`. Other tags are taken whole. */
export function versionOfTag(tag: string): string {
  const plain = plainVersion(tag.replace(/^refs\/tags\//, ""));
  if (/^\d/.test(plain)) return plain;
  return /(?:^|[/@_-])v?(\d+(?:\.\d+)+[0-9A-Za-z.+-]*)$/i.exec(plain)?.[1] ?? plain;
}

/** Whether a tag or a version, as a person or a job names it, means this version. */
export const means = (wanted: string, version: string): boolean =>
  isSameVersion(wanted, version) || isSameVersion(versionOfTag(wanted), version);
