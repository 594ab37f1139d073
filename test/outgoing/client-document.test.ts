import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  createClientDocuments,
  isDocumentAddress,
  readClientDocument,
} from "../../server/access/oauth/client-document.ts";
import { certificate, certificateKey } from "../support/network/certificate.ts";

const id = "https://innkeep.test/client.json";
const document = { client_id: id, client_name: "Kettle bot", redirect_uris: ["https://a.example/back"] };

describe("the metadata document of a program", () => {
  let server: Server;
  let answer: { status?: number; headers?: Record<string, string>; body: string };
  let asked = 0;
  beforeAll(async () => {
    server = createServer({ key: certificateKey, cert: certificate }, (_, response) => {
      asked += 1;
      response.writeHead(answer.status ?? 200, answer.headers);
      response.write(answer.body);
      if (answer.headers?.["x-hang"] === undefined) response.end();
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  const read = (body: unknown, more: Partial<typeof answer> = {}) => {
    answer = { body: typeof body === "string" ? body : JSON.stringify(body), ...more };
    const { port } = addressOf(server);
    return readClientDocument(id, {
      ca: certificate,
      port,
      lookup: (_, options, done) =>
        options.all ? done(null, [{ address: "127.0.0.1", family: 4 }]) : done(null, "127.0.0.1", 4),
    });
  };

  it("contains the name and the addresses of the program", async () => {
    expect(await read(document)).toEqual({ name: "Kettle bot", redirects: ["https://a.example/back"] });
  });

  it.each<[string, unknown, object, RegExp]>([
    ["of another address", { ...document, client_id: "https://other.example/x" }, {}, /client_id/],
    ["without addresses", { ...document, redirect_uris: [] }, {}, /redirect_uris/],
    ["that is no JSON", "<html>", {}, /not a JSON object/],
    ["that is a list", "[]", {}, /not a JSON object/],
    ["over 5 kB", { ...document, filler: "x".repeat(5_121) }, {}, /longer than 5 kB/],
    ["behind a redirect", "", { status: 302, headers: { location: "https://innkeep.test/x" } }, /302/],
    ["that is missing", "", { status: 404 }, /404/],
    ["that does not end", "{", { headers: { "x-hang": "1" } }, /2.5 seconds/],
  ])("is refused if it is %s", async (_, body, more, message) => {
    await expect(read(body, more)).rejects.toThrow(message);
  });

  it("is read from the address that was checked, and its name is looked up once", async () => {
    answer = { body: JSON.stringify(document) };
    let looked = 0;
    const { port } = addressOf(server);
    await readClientDocument(id, {
      ca: certificate,
      port,
      lookup: (_, options, done) => {
        looked += 1;
        // A hostile name server could return another address the second time.
        const address = looked === 1 ? "127.0.0.1" : "192.0.2.1";
        return options.all ? done(null, [{ address, family: 4 }]) : done(null, address, 4);
      },
    });
    expect(looked).toBe(1);
  });

  it.each(["https://127.0.0.1/x", "https://[::1]/x", "https://169.254.169.254/latest/meta-data"])(
    "cannot redirect to %s",
    async (location) => {
      const before = asked;
      await expect(read("", { status: 302, headers: { location } })).rejects.toThrow(/302/);
      expect(asked).toBe(before + 1);
    },
  );

  it.each([
    ...["https://127.0.0.1/x", "https://10.0.0.1/x", "https://169.254.169.254/x", "https://[::1]/x"],
    ...["https://[::ffff:7f00:1]/x", "https://[64:ff9b::7f00:1]/x", "https://[2002:7f00:1::]/x"],
    ...["https://[fd00::1]/x", "https://[fe80::1]/x", "https://0.0.0.0/x", "https://[::]/x"],
  ])("is not read at the private address %s", async (address) => {
    await expect(readClientDocument(address)).rejects.toThrow("is in a private network");
  });

  it.each([
    ...["https://2130706433/x", "https://0x7f000001/x", "https://017700000001/x", "https://0177.0.0.1/x"],
    ...["https://127.1/x", "https://0/x", "https://[::ffff:127.0.0.1]/x", "https://127.0.0.1./x"],
    ...["https://127。0。0。1/x", "https://①②⑦.0.0.1/x", "https://[::1%25eth0]/x", "https://%6cocalhost/x"],
    ...["https://LOCALHOST/x", "https://a.example\\@127.0.0.1/x", "https://a.example#@127.0.0.1/x"],
    ...["https:127.0.0.1/x", "https:///127.0.0.1/x", " https://a.example/x", "https://a.example/x\r\nX: y"],
  ])("is not read at %j, an address in an unusual form", async (address) => {
    await expect(readClientDocument(address)).rejects.toThrow("is not an https address with a path");
  });

  it("is not read from a name that resolves to this machine", async () => {
    const before = asked;
    const { port } = addressOf(server);
    await expect(
      readClientDocument("https://localhost/client.json", { ca: certificate, port }),
    ).rejects.toThrow();
    expect(asked).toBe(before);
  });

  it("is read once for several requests, and read again after a failure", async () => {
    let reads = 0;
    const documents = createClientDocuments(async () => {
      reads += 1;
      if (reads === 1) throw new Error("cannot be reached");
      return { name: "n", redirects: [] };
    });
    await expect(documents(id)).rejects.toThrow();
    await Promise.all([documents(id), documents(id)]);
    expect(reads).toBe(2);
  });

  it.each([
    ["https://a.example/x", true],
    ["https://a.example/x?y=1", true],
    ["https://a.example/", false],
    ["https://a.example", false],
    ["http://a.example/x", false],
    ["https://a.example/x#y", false],
    ["https://u@a.example/x", false],
    ["https://a.example:444/x", false],
    ["https://A.example/x", false],
    ["https://a.example/./x", false],
    [`https://a.example/${"x".repeat(500)}`, false],
  ])("at the address %s is allowed: %s", (address, may) => {
    expect(isDocumentAddress(address)).toBe(may);
  });
});

function addressOf(server: Server): AddressInfo {
  const address = server.address();
  if (typeof address === "object" && address !== null) return address;
  throw new Error("The server does not listen.");
}
