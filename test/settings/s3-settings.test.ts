import { describe, expect, it } from "vitest";
import { s3Of } from "../../server/settings/read-settings.ts";

const placeOf = (url: string, more = {}) => s3Of({ INNKEEP_S3_URL: url, ...more });
const keys = { AWS_ACCESS_KEY_ID: "AKIA", AWS_SECRET_ACCESS_KEY: "a/b+c" };

describe("the setting INNKEEP_S3_URL", () => {
  it("is optional", () => {
    expect(s3Of({})).toBeUndefined();
  });

  it("contains the bucket, a folder in it, the region and the key", () => {
    expect(placeOf("https://AKIA:a%2Fb%2Bc@s3.eu-central-1.amazonaws.com/inn-files/one/two/")).toEqual({
      address: "https://s3.eu-central-1.amazonaws.com/inn-files",
      bucket: "inn-files",
      prefix: "one/two/",
      region: "eu-central-1",
      accessKeyId: "AKIA",
      secretAccessKey: "a/b+c",
    });
  });

  it("can be without the key, which is then read from the usual variables, and the region is read from the query", () => {
    expect(placeOf("https://store.example:9000/inn?region=auto&style=host", keys)).toEqual({
      address: "https://inn.store.example:9000",
      bucket: "inn",
      prefix: "",
      region: "auto",
      accessKeyId: "AKIA",
      secretAccessKey: "a/b+c",
    });
  });

  it.each([
    ["no address", "files", "must be an address"],
    ["another scheme", "s3://AKIA:hunter2@host/bucket", "must be an address"],
    ["no bucket", "https://AKIA:hunter2@host/", "must be an address"],
    ["a wrong bucket", "https://AKIA:hunter2@host/b%20", "must be an address"],
    ["a wrong folder", "https://AKIA:hunter2@host/bucket/%41", "must be an address"],
    ["an unknown style", "https://AKIA:hunter2@host/bucket?style=other", "must be an address"],
    ["a wrong region", "https://AKIA:hunter2@host/bucket?region=a%2Fb", "must be an address"],
    ["a secret that is badly encoded", "https://AKIA:hunter2%zz@host/bucket", "must be an address"],
    ["no key", "https://host/bucket", "has no key and secret"],
    ["no secret", "https://AKIA@host/bucket", "has no key and secret"],
    ["no encryption", "http://AKIA:hunter2@host/bucket", "?tls=off"],
  ])("with %s is refused, and no message contains it", (_, url, sentence) => {
    expect(() => placeOf(url)).toThrow(sentence);
    expect(() => placeOf(url)).not.toThrow("hunter2");
  });

  it.each(["http://A:b@127.0.0.1:9000/bucket", "http://A:b@store.internal/bucket?tls=off"])(
    "can be without encryption: %s",
    (url) => {
      expect(placeOf(url)?.address).toMatch(/^http:\/\//);
    },
  );
});
