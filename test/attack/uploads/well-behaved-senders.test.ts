import { once } from "node:events";
import { createServer, type IncomingMessage, type Server } from "node:http";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { systemClock } from "../../../server/clock.ts";
import { createIncomingBodies, createPace, readBytes } from "../../../server/http/body/read-body.ts";
import { readSettings } from "../../../server/settings/read-settings.ts";
import { budgetsOf } from "../../../server/settings/settings.ts";
import { databases } from "../../support/database/databases.ts";
import { dataUrl, png } from "../../support/files/sample-files.ts";
import { holdConnections } from "../../support/network/hostile-connections.ts";
import { connectRaw, headOf, type RawConnection } from "../../support/network/raw-connection.ts";
import { startService } from "../../support/service/service.ts";

const stopping = new AbortController().signal;

describe("a body from a correct sender", () => {
  let server: Server;
  let connection: RawConnection;
  let request: IncomingMessage;
  beforeEach(async () => {
    server = createServer();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    connection = await connectRaw(`http://127.0.0.1:${Object(server.address()).port}`);
    connection.write(`${headOf("POST", "/", { "Content-Length": 10 })}12345`);
    [request] = await once(server, "request");
  });
  afterEach(async () => {
    server.closeAllConnections();
    server.close();
  });

  it("is not ended after a time in which the server process was paused", async () => {
    const budgets = { ...budgetsOf(undefined), bodyBytesPerSecond: 10_000, bodyPatienceMilliseconds: 400 };
    let late = false;
    const end = createPace(budgets, stopping).watch(request, () => {
      late = true;
    });
    request.resume();
    await once(request, "data");
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_000);
    connection.write("67890");
    await once(request, "end");
    end();
    expect(late).toBe(false);
  });

  it("is ended without other effects if even its beginning exceeds the limit of memory", async () => {
    const settings = readSettings({}, { INNKEEP_BUDGETS: "anonymousBufferedBytes=1000" });
    const arrivals = createIncomingBodies({ clock: systemClock, settings, stopping });
    const sender = { id: "somebody", anonymous: true, network: "" };
    await expect(readBytes(request, 1_000, { arrivals, sender })).rejects.toMatchObject({ code: "busy" });
  });

  it("that was ended before it is read causes no endless wait", async () => {
    request.on("error", () => {});
    const gone = once(request, "close").catch(() => undefined);
    await connection.cut();
    await gone;
    const arrivals = createIncomingBodies({
      clock: systemClock,
      settings: readSettings({}, {}),
      stopping,
    });
    const sender = { id: "somebody", anonymous: true, network: "" };
    await expect(readBytes(request, 1_000, { arrivals, sender })).rejects.toMatchObject({
      code: "bad_request",
    });
  });

  it("that arrived completely and was ended before it is read causes no endless wait", async () => {
    request.on("error", () => {});
    const arrivals = createIncomingBodies({
      clock: systemClock,
      settings: readSettings({}, {}),
      stopping,
    });
    const reading = readBytes(request, 1_000, {
      arrivals,
      sender: { id: "somebody", anonymous: true, network: "" },
    });
    request.pause();
    connection.write("67890");
    await expect.poll(() => request.complete).toBe(true);
    await connection.cut();
    await expect(reading).rejects.toMatchObject({ code: "bad_request" });
  });
});

describe.each(databases)("an upload that is not admitted on $name", (engine) => {
  it("is not counted in the hourly limit of its key", async () => {
    const service = await startService({
      engine,
      settings: { feedbackBytesPerHour: 1_048_576 },
      budgets: { uploads: 1, uploadsPerKey: 1, uploadTurnMilliseconds: 50 },
    });
    try {
      const [slow, probe] = [await service.makeApp(), await service.makeApp()];
      const other = await service.makeApp();
      const path = "/api/v1/feedback/remote";
      const headers = {
        "Content-Type": "application/json",
        "x-api-key": slow.key,
        "Content-Length": 100_000,
      };
      const held = await holdConnections(service.baseUrl, 1, `${headOf("POST", path, headers)}{"type":"`);
      const body = { type: "bug", message: "See the picture.", images: [dataUrl(png(200_000))] };
      const send = async (key: string) =>
        (await service.request("POST", path, { headers: { "x-api-key": key }, body })).status;
      // Now the slow upload has been admitted.
      await expect.poll(() => send(probe.key)).toBe(503);
      for (let n = 0; n < 6; n += 1) expect(await send(other.key)).toBe(503);
      held.release();
      await expect.poll(() => send(other.key)).toBe(201);
    } finally {
      await service.stop();
    }
  });
});
