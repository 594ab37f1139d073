import { describe, expect, it } from "vitest";
import { readListing } from "../../../server/files/s3-files.ts";

const page = (inside: string) => `<?xml version="1.0"?><ListBucketResult>${inside}</ListBucketResult>`;

describe("the list of files in a bucket", () => {
  it("contains names, times, and the token of the next page", () => {
    const xml = page(
      "<Name>b</Name><IsTruncated>true</IsTruncated><Contents><Key>files/a&amp;b&#x41;&#66;</Key>" +
        "<LastModified>2026-11-23T10:00:00.000Z</LastModified><Size>5</Size></Contents>" +
        "<Contents><LastModified>2026-11-23T10:00:01Z</LastModified><Key>files/c</Key></Contents>" +
        "<NextContinuationToken>1&lt;2&gt;&quot;&apos;&other;</NextContinuationToken>",
    );
    expect(readListing(xml)).toEqual({
      objects: [
        { key: "files/a&bAB", changedAt: Date.parse("2026-11-23T10:00:00Z") },
        { key: "files/c", changedAt: Date.parse("2026-11-23T10:00:01Z") },
      ],
      folders: [],
      next: "1<2>\"'&other;",
    });
  });

  it("ends at a page without a token", () => {
    const ended = page("<IsTruncated>false</IsTruncated><NextContinuationToken>x</NextContinuationToken>");
    expect(readListing(ended)).toEqual({ objects: [], folders: [], next: undefined });
  });

  it("contains folders if the request has a delimiter", () => {
    const xml = page(
      "<Prefix>a/</Prefix><IsTruncated>false</IsTruncated><CommonPrefixes><Prefix>a/b&amp;/</Prefix></CommonPrefixes>" +
        "<CommonPrefixes><Prefix>a/c/</Prefix></CommonPrefixes>",
    );
    expect(readListing(xml)).toEqual({ objects: [], folders: ["a/b&/", "a/c/"], next: undefined });
  });

  it("is not read from an answer that is no list", () => {
    expect(() => readListing("<html></html>")).toThrow("not a list");
  });
});
