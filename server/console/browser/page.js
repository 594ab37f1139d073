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
};

// Makes screen readers read a message. The element is always new, so that a repeated text is read again.
export const announce = (words) => {
  const line = document.createElement("p");
  line.textContent = words;
  document.getElementById("announced").replaceChildren(line);
};
