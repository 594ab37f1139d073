import { describe, expect, it } from "vitest";
import { blockedDomainOf, senderKeysOf } from "../../../../server/feedback/blocked-senders/rules.ts";

describe("a blocked address", () => {
  it.each([
    "eve@example.org",
    "  EVE@Example.ORG ",
    "eve+offer@example.org",
    "eve+a+b@example.org.",
    "Eve <eve@example.org>",
    "mailto:eve@example.org",
    "\uff45ve@example.org",
    "e\u200bve@example.org",
    `${"Eve ".repeat(1_000)}<eve@example.org>`,
  ])("also matches the spelling %j", (contact) => {
    expect(senderKeysOf(contact).address).toBe("eve@example.org");
  });

  it.each(["eva@example.org", "eve@example.com", "eve.example.org", "+eve@example.org"])(
    "does not match %j",
    (contact) => {
      expect(senderKeysOf(contact).address).not.toBe("eve@example.org");
    },
  );

  it("is stored in one spelling if its domain is international", () => {
    expect(senderKeysOf("eve@B\u00dcCHER.example")).toEqual(senderKeysOf("eve@xn--bcher-kva.example"));
    expect(senderKeysOf("eve@bu\u0308cher.example")).toEqual(senderKeysOf("eve@b\u00fccher.example"));
  });

  it("can be a contact that is not an e-mail address", () => {
    expect(senderKeysOf("@Eve on Chat")).toEqual({ address: "@eve on chat", domains: [] });
  });
});

describe("a blocked domain", () => {
  it("matches addresses of the domain and of its subdomains; a top-level domain cannot be blocked", () => {
    expect(senderKeysOf("eve@a.mail.example.org").domains).toEqual([
      "a.mail.example.org",
      "mail.example.org",
      "example.org",
    ]);
  });

  it.each([
    ["Example.ORG", "example.org"],
    ["@example.org", "example.org"],
    ["b\u00fccher.example.", "xn--bcher-kva.example"],
  ])("that is typed as %j is read as %j", (given, domain) => {
    expect(blockedDomainOf(given)).toBe(domain);
  });

  it.each(["", "org", "eve@example.org", "127.0.0.1", "example.org/x", "exam ple.org", "[::1]"])(
    "cannot be %j",
    (given) => {
      expect(blockedDomainOf(given)).toBeUndefined();
    },
  );
});
