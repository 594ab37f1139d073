// The script of every page. Every page also works without it. The parts run in this order.
import "./every-page.js";
import "./grid.js";
import "./drafts.js";
import "./draft-offers.js";
import "./faqs.js";
import "./passkeys.js";
import "./push.js";
import "./previews.js";
import "./named-threads.js";
import "./release-form.js";
import "./saved-replies.js";
import "./thread.js";
import "./decisions.js";
import "./live.js";
import "./palette.js";
import "./keys.js";
import "./desk.js";
