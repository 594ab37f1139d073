export function bundleForBrowsers(): Record<"script" | "docs" | "dev" | "worker" | "style", string>;
