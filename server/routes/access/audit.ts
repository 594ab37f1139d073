import type { audit as contract } from "../../../src/contract/console/audit.ts";
import { limits } from "../../../src/contract/limits.ts";
import type { Deps } from "../../deps.ts";
import type { Handlers } from "../../http/handler.ts";
import { audit as rows } from "../../store/access/audit.ts";
import { idPart, instantPart, pageOf, readCursor } from "../list-page.ts";

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
