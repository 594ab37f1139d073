import { IncomingMessage } from "node:http";
import { Socket } from "node:net";
import { describe, expect, it } from "vitest";
import { createAddressOf } from "../../server/http/rate-limits/rate-limits.ts";

function requestFrom(peer: string, forwarded?: string): IncomingMessage {
  const socket = new Socket();
  Object.defineProperty(socket, "remoteAddress", { value: peer });
  const request = new IncomingMessage(socket);
  if (forwarded !== undefined) request.headers["x-forwarded-for"] = forwarded;
  return request;
}

describe("the client's address that the server uses", () => {
  const trusted = ["10.0.0.0/8", "fd00::/8"];

  it.each([
    ["is the address of the peer", [], "203.0.113.5", undefined, "203.0.113.5"],
    ["is written as IPv4 if IPv4 comes over IPv6", [], "::ffff:203.0.113.5", undefined, "203.0.113.5"],
    [
      "does not follow the header of a peer that is not trusted",
      trusted,
      "203.0.113.5",
      "198.51.100.1",
      "203.0.113.5",
    ],
    ["does not follow the header if no proxy is trusted", [], "10.0.0.1", "198.51.100.1", "10.0.0.1"],
    ["follows the header of a trusted proxy", trusted, "10.0.0.1", "198.51.100.1", "198.51.100.1"],
    [
      "is the last one in the header that is not a trusted proxy",
      trusted,
      "10.0.0.1",
      "1.1.1.1, 198.51.100.1, 10.0.0.2",
      "198.51.100.1",
    ],
    ["is the proxy's if its header has no address", trusted, "10.0.0.1", "unknown", "10.0.0.1"],
    [
      "is the proxy's if only the client's part of the header has an address",
      trusted,
      "10.0.0.1",
      "198.51.100.9, unknown",
      "10.0.0.1",
    ],
    [
      "is read from a proxy that adds the port",
      trusted,
      "10.0.0.1",
      "198.51.100.9, 198.51.100.1:4711",
      "198.51.100.1",
    ],
    [
      "is read from a proxy that adds the port to IPv6",
      trusted,
      "10.0.0.1",
      "198.51.100.9, [2001:db8::1]:4711",
      "2001:db8::1",
    ],
  ])("%s", (_, proxies, peer, forwarded, address) => {
    expect(createAddressOf(proxies)(requestFrom(peer, forwarded))).toBe(address);
  });
});
