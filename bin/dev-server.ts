// Tests wait for this program each time they start one.
void import("./cached-start.ts").then(({ start }) => start("server.cjs").throwaway?.());
