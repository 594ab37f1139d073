export function bundleForBrowsers(): Record<"script" | "docs" | "dev" | "style", string>;
