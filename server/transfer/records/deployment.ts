import { limits } from "../../../src/contract/limits.ts";
import * as deployment from "../../database/schema/deployment.ts";
import { id, text } from "../fields.ts";
import { recordOf } from "./record.ts";

/** The people that other records name. An import stores their addresses, but creates no accounts. (rule X6) */
export const personRecord = recordOf(deployment.importedPeople, {
  type: "person",
  parent: "app_id",
  order: ["id"],
  columns: { id, email: text(2 * limits.email) },
});
