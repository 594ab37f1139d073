import { shortTransport } from "../client/transport.ts";
import type { FolderEnvironment } from "../credentials/folders.ts";
import { proxyOf } from "./core/connection.ts";
import { type PublishedPackage, published } from "./core/published.ts";
import { isVersion, readUpdateState, writeUpdateState } from "./update-state.ts";

/** How long the registry may take. */
const limitMs = 5_000;

/** Where to look for newer versions; undefined unless both the registry and the name are set. (rule L56) */
export function updateSource(env: FolderEnvironment["env"]): PublishedPackage | undefined {
  const registry = (env.INNKEEP_UPDATE_REGISTRY || published?.registry || "").replace(/\/+$/, "");
  const name = env.INNKEEP_UPDATE_NAME || published?.name || "";
  return registry === "" || name === "" ? undefined : { registry, name };
}

/**
 * Asks the registry for the newest version, and stores it. Rejects if there is none, no answer, or one of another form.
 */
export async function checkForUpdate(place: FolderEnvironment, newId: () => string): Promise<void> {
  const source = updateSource(place.env);
  if (!source) throw new Error("No registry is set.");
  const { status, text } = await shortTransport(proxyOf(place))({
    method: "GET",
    url: new URL(`${source.registry}/${source.name.replace("/", "%2f")}/latest`),
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
