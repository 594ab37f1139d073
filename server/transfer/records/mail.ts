import { limits } from "../../../src/contract/limits.ts";
import * as mail from "../../database/schema/mail.ts";
import { instant, text } from "../fields.ts";
import { recordOf } from "./record.ts";

/**
 * The addresses that unsubscribed from mail. An export does not contain confirmations of addresses, because a new
 * server must not rely on a file for them. (rule X6)
 */
export const unsubscribed = recordOf(mail.mailAddresses, {
  type: "unsubscribed",
  parent: "app_id",
  order: ["recipient"],
  columns: { recipient: text(2 * limits.email), unsubscribed_at: instant },
  where: "unsubscribed_at IS NOT NULL",
  left: { confirmed_at: "an address must be confirmed to each server" },
});
