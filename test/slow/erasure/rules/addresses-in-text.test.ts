import { describe, expect, it } from "vitest";
import { addressesIn, addressesInJson, findAddress } from "../../../../server/erasure/rules.ts";
import { fc } from "../../../support/property.ts";
import { rounds } from "../../../support/torture.ts";

describe("the e-mail addresses in a text", () => {
  it.each([
    ["Write to Ann@Example.org.", ["ann@example.org"]],
    ["<ann@x.org>, bob@y.co.uk", ["ann@x.org", "bob@y.co.uk"]],
    ["app?user=ann%40x.org&b=1", ["ann@x.org"]],
    ["mailto%3Aann%40x.org", ["mailto%3aann@x.org", "ann@x.org"]],
    ["a.b.c@x.org", ["a.b.c@x.org"]],
    ["no address: @home, me@", []],
    ["Ann o'brien@x.org", ["o'brien@x.org", "brien@x.org"]],
  ])("of %j include %j", (text, expected) => {
    expect(addressesIn(text)).toEqual(expect.arrayContaining(expected));
    if (expected.length === 0) expect(addressesIn(text)).toEqual([]);
  });

  it("are found in the names and values of JSON", () => {
    const json = JSON.stringify({ "ann@x.org": ["line\nbob@y.org", { n: 1, c: null }] });
    expect(addressesInJson(json)).toEqual(["ann@x.org", "bob@y.org"]);
    expect(addressesInJson("no JSON: ann@x.org")).toEqual(["ann@x.org"]);
  });

  it("include each address that an erasure finds", () => {
    const word = fc.stringMatching(/^[a-zA-Z0-9ü_]{1,6}$/);
    const address = fc
      .tuple(fc.array(word, { minLength: 1, maxLength: 3 }), word, fc.constantFrom(".org", ".co.uk", "-x.io"))
      .map(([parts, host, end]) => `${parts.join(".")}@${host}${end}`);
    const around = fc.stringMatching(/^[a-z0-9 .,<>%+&=/:;"'()_@-]{0,5}$/);
    fc.assert(
      fc.property(around, address, around, (before, middle, after) => {
        const email = middle.normalize("NFC").toLowerCase();
        const all = `${before}${middle}${after}`;
        if (findAddress(email).isIn(all)) expect(addressesIn(all)).toContain(email);
      }),
      { numRuns: rounds(2_000, 100_000) },
    );
  });
});
