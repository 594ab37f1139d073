// What several scripts do with a page.

// Times in the reader's time zone, in the server's format.
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

// Makes screen readers read a message. A new element is read even if its text is the same as before.
export const announce = (words) => {
  const line = document.createElement("p");
  line.textContent = words;
  document.getElementById("announced").replaceChildren(line);
};
