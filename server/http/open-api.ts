import { createOpenApi } from "../../src/contract/openapi/document.ts";
import { waitIfTurnIsLong } from "../event-loop.ts";
import type { Settings } from "../settings/settings.ts";
import { onFirstUse } from "./on-first-use.ts";

/** Gives the OpenAPI document of this server. */
export type ReadOpenApi = () => Promise<object>;

/** The document takes long to make, and most servers are never asked for it. So it is made on first use. */
export const createReadOpenApi = ({ baseUrl }: Pick<Settings, "baseUrl">): ReadOpenApi =>
  onFirstUse(() => createOpenApi(baseUrl, waitIfTurnIsLong));
