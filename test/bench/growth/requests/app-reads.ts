import type { Measured } from "./measured.ts";

/** The requests with which apps and the devices of testers read data. */
export const appReads: readonly Measured[] = [
  { name: "an app's FAQ", by: "app", path: "/api/v1/faqs/remote" },
  { name: "an app's release notes", by: "app", path: "/api/v1/changelog/remote" },
  { name: "an app's progress of a slot", by: "app", path: "/api/v1/testing/sdk/session?testKey={testKey}" },
  { name: "a tester's tasks", by: "device", path: "/api/v1/testing/me/tasks" },
  { name: "a tester's slots", by: "device", path: "/api/v1/testing/me/slots" },
  { name: "a tester's listings", by: "device", path: "/api/v1/testing/listings" },
];
