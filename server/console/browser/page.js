// Functions that several scripts use.

// Formats times in the browser's time zone, in the same format as the server.
export const zoned = new Intl.DateTimeFormat("en-GB", {
  day: "numeric",
  month: "short",
  year: "numeric",
  hour: "2-digit",
  minute: "2-digit",
  timeZoneName: "short",
});
const zonedDay = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric" });
export const localise = (root) => {
  for (const time of root.querySelectorAll("time[datetime]:not([data-fixed])")) {
    const at = new Date(time.dateTime);
    if (!time.hasAttribute("data-relative")) time.textContent = zoned.format(at);
    else time.title = zoned.format(at);
    if (time.dataset.relative === "day") time.textContent = zonedDay.format(at);
  }
  for (const time of root.querySelectorAll("time[data-beside-utc]")) {
    time.removeAttribute("data-beside-utc");
    const here = zoned.format(new Date(time.dateTime));
    if (here !== time.textContent) time.textContent = `${here} (${time.textContent})`;
  }
};

// Makes screen readers read a message. Each message gets a new element, so that a repeated text is read again.
export const announce = (words) => {
  const line = document.createElement("p");
  line.textContent = words;
  document.getElementById("announced").replaceChildren(line);
};

// Replaces a part of the page with its newer version. The focus stays on the element with the same id.
export const replacePart = (part, next) => {
  localise(next);
  const focused = part.contains(document.activeElement) ? document.activeElement : undefined;
  const at = part.querySelector("[data-arrows]")?.scrollLeft;
  part.replaceWith(next);
  // If the focused element has no id, the element whose id is in `data-decides` gets the focus.
  const then = focused && (focused.id || next.dataset.decides);
  if (then) document.getElementById(then)?.focus({ preventScroll: true });
  if (at) next.querySelector("[data-arrows]").scrollLeft = at;
  next.dispatchEvent(new Event("replaced", { bubbles: true }));
};

// Removes the offer to undo after a newer change. Otherwise Undo would undo the older change. (rule F48)
export const forgetUndo = () => {
  document.getElementById("acted")?.setAttribute("hidden", "");
  try {
    sessionStorage.removeItem("innkeep-undo");
  } catch {
    // If the browser cannot store data, there is no stored change to remove.
  }
};

// Shows a short message at the edge of the page, with one button. The message disappears after 20 seconds.
export const toast = (words, button, act) => {
  const line = document.createElement("p");
  line.className = "toast";
  line.append(words);
  const end = () => line.remove();
  if (button) {
    const control = document.createElement("button");
    control.type = "button";
    control.className = "small";
    control.textContent = button;
    control.addEventListener("click", () => {
      end();
      act();
    });
    line.append(" ", control);
  }
  for (const old of document.querySelectorAll(".toast")) old.remove();
  document.body.append(line);
  announce(words);
  setTimeout(end, 20_000);
};
