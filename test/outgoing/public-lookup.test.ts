import { describe, expect, it } from "vitest";
import { createPublicLookup, isPrivateAddress } from "../../server/http/network-addresses.ts";

it.each([
  "127.0.0.1",
  "0.0.0.0",
  "10.0.0.1",
  "100.64.0.1",
  "169.254.169.254",
  "224.0.0.1",
  "[::]",
  "[::1]",
  "[::127.0.0.1]",
  "[::7f00:1]",
  "[::ffff:127.0.0.1]",
  "[::ffff:0:127.0.0.1]",
  "[64:ff9b::7f00:1]",
  "[2002:7f00:1::]",
  "[2001:db8::1]",
  "[fe80::1]",
  "[fd00::1]",
  "[ff02::1]",
  "[4000::1]",
])("the address %s is in a private network", (host) => {
  expect(isPrivateAddress(host)).toBe(true);
});

it.each(["93.184.216.34", "[2606:4700::1111]", "[2a00:1450::1]", "[::ffff:93.184.216.34]", "a.example"])(
  "the address %s is not in a private network",
  (host) => {
    expect(isPrivateAddress(host)).toBe(false);
  },
);

describe("a lookup of public addresses", () => {
  /** The answers of a name server, in order. */
  const lookUp = (answers: string[][], all: boolean) => {
    const lookup = createPublicLookup((_, __, done) => {
      const addresses = (answers.shift() ?? []).map((address) => ({
        address,
        family: address.includes(":") ? 6 : 4,
      }));
      done(null, addresses);
    });
    return new Promise<unknown>((resolve) =>
      lookup("agent.example", { all }, (error, found) => resolve(error ?? found)),
    );
  };

  it.each([
    [["127.0.0.1"]],
    [["93.184.216.34", "127.0.0.1"]],
    [["93.184.216.34", "::1"]],
    [["169.254.169.254"]],
    [["::ffff:10.0.0.1"]],
    [["2002:7f00:1::"]],
    [["64:ff9b::a00:1"]],
    [["fd00::1"]],
    [[]],
  ])("refuses a name with the addresses %j", async (addresses) => {
    for (const all of [true, false]) expect(await lookUp([addresses], all)).toBeInstanceOf(Error);
  });

  it("returns the addresses that it has checked, and does not ask a second time", async () => {
    const answers = [["93.184.216.34", "2606:4700::1111"], ["127.0.0.1"]];
    expect(await lookUp(answers, true)).toEqual([
      { address: "93.184.216.34", family: 4 },
      { address: "2606:4700::1111", family: 6 },
    ]);
    expect(answers).toEqual([["127.0.0.1"]]);
    expect(await lookUp([["93.184.216.34"], ["127.0.0.1"]], false)).toBe("93.184.216.34");
  });
});
