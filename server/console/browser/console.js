// The script that every page loads. Every page also works without this script. The imported scripts run in this
// order.
import "./every-page.js";
import "./menus.js";
import "./lightbox.js";
import "./fetched-parts.js";
import "./drafts.js";
import "./faqs.js";
import "./passkeys.js";
import "./push.js";
import "./previews.js";
import "./release-form.js";
import "./saved-replies.js";
import "./thread.js";
import "./live.js";
import "./palette.js";
import "./keys.js";
import "./desk.js";
