import { shortTransport } from "../../client/transport/transport.ts";
import type { FolderEnvironment } from "../../credentials/folders.ts";
import { proxyOf } from "../core/connection/connect.ts";
import { isVersion, readUpdateState, writeUpdateState } from "./update-state.ts";

/** How long the registry may take. */
const limitMs = 5_000;

/**
 * Asks the registry of npm for the newest version, and stores it. Rejects if there is no answer, or one of another form.
 */
export async function checkForUpdate(place: FolderEnvironment, newId: () => string): Promise<void> {
  const registry = (place.env.npm_config_registry || "https://registry.npmjs.org").replace(/\/+$/, "");
  const { status, text } = await shortTransport(proxyOf(place))({
    method: "GET",
    url: new URL(`${registry}/innkeep/latest`),
    headers: { accept: "application/json", "user-agent": "innkeep" },
    timeoutMs: limitMs,
    answerMs: limitMs,
    answerBytes: 1_048_576,
    signal: AbortSignal.timeout(limitMs),
  });
  const { version } = Object(JSON.parse(text));
  if (status !== 200 || !isVersion(version)) throw new Error("The registry names no version.");
  writeUpdateState(place, { ...readUpdateState(place), latest: version }, newId);
}
