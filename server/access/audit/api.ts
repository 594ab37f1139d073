import type { audit as contract } from "../../../src/contract/audit.ts";
import { limits } from "../../../src/contract/limits.ts";
import type { Deps } from "../../deps.ts";
import type { Handlers } from "../../http/handler.ts";
import { idPart, instantPart, pageOf, readCursor } from "../../http/list-page.ts";
import { audit as rows } from "./store.ts";

export const audit = ({ database }: Pick<Deps, "database">): Handlers<typeof contract> => ({
  async list({ caller, query }) {
    const limit = query.limit ?? limits.listPage.default;
    const position = readCursor(query.cursor, [instantPart, idPart]);
    const { appId, action, actor, from, to } = query;
    const filters = { appId, action, actor, from, to };
    const entries = await rows.list(database, caller, { ...filters, position, limit: limit + 1 });
    return pageOf(entries, limit, ({ at, id }) => [at, id]);
  },
});
