import { limits } from "../../../src/contract/limits.ts";
import * as mail from "../../database/schema/mail.ts";
import { instant, text } from "../fields.ts";
import { recordOf } from "./record.ts";

/**
 * The addresses that unsubscribed from mails. An export does not say which addresses were confirmed, because the new
 * server must not trust a file about this. (rule X6)
 */
export const unsubscribed = recordOf(mail.mailAddresses, {
  type: "unsubscribed",
  parent: "app_id",
  order: ["recipient"],
  columns: { recipient: text(2 * limits.email), unsubscribed_at: instant },
  where: "unsubscribed_at IS NOT NULL",
  left: { confirmed_at: "an address must be confirmed on each server" },
});
