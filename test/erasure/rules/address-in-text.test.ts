import { describe, expect, it } from "vitest";
import { findAddress, erasedMark as gone } from "../../../server/erasure/rules.ts";

const ann = findAddress("ann.lee+shop@example.org");

describe("an e-mail address in a text", () => {
  it.each([
    ["ann.lee+shop@example.org", gone],
    ["Write to Ann.Lee+Shop@EXAMPLE.org, please.", `Write to ${gone}, please.`],
    ["<ann.lee+shop@example.org>; mailto:ann.lee+shop@example.org.", `<${gone}>; mailto:${gone}.`],
    ["it is ann.lee+shop@example.org\nand ANN.LEE+SHOP@example.org", `it is ${gone}\nand ${gone}`],
    ["/reset?email=ann.lee+shop%40example.org&x=1", `/reset?email=${gone}&x=1`],
    ["?q=from%20ann.lee+shop%40example.org", `?q=from%20${gone}`],
    ["/reset?email=ann.lee%2Bshop%40example.org", `/reset?email=${gone}`],
    ["/reset?email=Ann%2ELee%2bShop%40Example%2Eorg&x=1", `/reset?email=${gone}&x=1`],
    ["see ...ann.lee+shop@example.org!", `see ...${gone}!`],
  ])("is removed from %j", (text, expected) => {
    expect(ann.isIn(text)).toBe(true);
    expect(ann.erase(text)).toBe(expected);
    expect(ann.isIn(ann.erase(text))).toBe(false);
  });

  it.each([
    "joann.lee+shop@example.org",
    "jo.ann.lee+shop@example.org",
    "ann.lee+shop@example.org.uk",
    "ann.lee+shop@example.organic",
    "ann.lee+shop@example.org-archive.net",
    "annxlee+shop@example.org",
    "ann.lee@example.org",
    "Ann Lee of example.org",
    "q=jo%2Bann.lee+shop%40example.org",
    "q=ann.lee%2Bshop%40example.org%2Euk",
    "q=jo%2Eann.lee%2Bshop%40example.org",
  ])("is kept if it belongs to somebody else: %j", (text) => {
    expect(ann.isIn(text)).toBe(false);
    expect(ann.erase(text)).toBe(text);
  });

  it("is found in each spelling of its letters", () => {
    const joerg = findAddress("jörg@müller.example");
    for (const text of ["jörg@müller.example", "JÖRG@Müller.Example", "jörg@müller.example".normalize("NFD")])
      expect(joerg.erase(`(${text})`)).toBe(`(${gone})`);
    for (const text of ["j%C3%B6rg%40m%C3%BCller.example", "j%c3%b6rg@m%C3%BCller.example"])
      expect(joerg.erase(`?to=${text}&x`)).toBe(`?to=${gone}&x`);
    expect(findAddress("i\u0307pek@example.org").erase("\u0130pek@example.org")).toBe(gone);
    expect(findAddress("o'hara/x=1@example.org").erase("o'hara/x=1@example.org")).toBe(gone);
  });

  it("is removed from the names and the values of JSON", () => {
    const json = JSON.stringify({
      "Ann.lee+shop@example.org": 1,
      "ann.lee+shop@example.org": { deep: ["line\nann.lee+shop@example.org", 7, null] },
      other: "joann.lee+shop@example.org",
    });
    expect(JSON.parse(ann.eraseJson(json))).toEqual({
      [gone]: 1,
      [`${gone}*`]: { deep: [`line\n${gone}`, 7, null] },
      other: "joann.lee+shop@example.org",
    });
  });

  it("is removed from a text that is not the expected JSON", () => {
    expect(ann.eraseJson("sealed, by ann.lee+shop@example.org")).toBe(`sealed, by ${gone}`);
  });

  it("is also removed from names in which it is joined to other words", () => {
    const name = "crash-ann.lee+shop@example.org-2";
    expect(ann.isInName(name)).toBe(true);
    expect(ann.eraseInName(name)).toBe(`crash-${gone}-2`);
    expect(ann.isInName("crash-ann.lee@example.org")).toBe(false);
  });

  it("has parts that each text with the address contains", () => {
    for (const email of ["ann.lee+shop@example.org", "jörg@müller.example", "ж@пример.рф"])
      for (const part of findAddress(email).parts) expect(email).toContain(part);
    expect(findAddress("jörg@müller.example").parts).toEqual(["rg", "example"]);
  });
});
