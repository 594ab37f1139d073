/** An object in a bucket. */
export interface Listed {
  readonly key: string;
  /** When it was last written, in milliseconds. */
  readonly changedAt: number;
}

export interface ListedPage {
  readonly objects: readonly Listed[];
  /** If the request named a delimiter: what the names of others begin with, up to the delimiter. */
  readonly folders: readonly string[];
  /** What continues the list; undefined at its end. */
  readonly next: string | undefined;
}

/** Reads an answer to ListObjectsV2. Throws for a text that is not one. */
export function readListing(xml: string): ListedPage {
  if (!xml.includes("<ListBucketResult")) throw new Error("The store's answer is not a list of objects");
  const objects = [...xml.matchAll(/<Contents>([\s\S]*?)<\/Contents>/g)].map(([, inside = ""]) => ({
    key: textIn("Key", inside) ?? "",
    changedAt: Date.parse(textIn("LastModified", inside) ?? ""),
  }));
  const folders = [...xml.matchAll(/<CommonPrefixes>([\s\S]*?)<\/CommonPrefixes>/g)].map(
    ([, inside = ""]) => textIn("Prefix", inside) ?? "",
  );
  const isCut = textIn("IsTruncated", xml.replace(/<Contents>[\s\S]*<\/Contents>/, "")) === "true";
  return { objects, folders, next: isCut ? textIn("NextContinuationToken", xml) : undefined };
}

function textIn(element: string, xml: string): string | undefined {
  const found = new RegExp(`<${element}>([^<]*)</${element}>`).exec(xml)?.[1];
  return found?.replace(/&(#x?[\da-f]+|\w+);/gi, (whole, entity: string) => characterOf(entity) ?? whole);
}

const named: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

function characterOf(entity: string): string | undefined {
  const [, hex, decimal] = /^#(?:x([\da-f]+)|(\d+))$/i.exec(entity) ?? [];
  if (hex !== undefined) return String.fromCodePoint(Number.parseInt(hex, 16));
  return decimal === undefined ? named[entity] : String.fromCodePoint(Number(decimal));
}
