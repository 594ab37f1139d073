import { expect } from "@playwright/test";
import { test } from "./fixtures.js";

test("a bug that a person reports is in the inbox", async ({ page, appUrl, innkeep }) => {
  await page.goto(appUrl);
  await page.getByLabel("What is wrong?").fill("The map is upside down.");
  await page.getByRole("button", { name: "Send" }).click();
  await expect(page.getByRole("status")).toHaveText("Thank you!");

  await page.goto(`${innkeep.consoleUrl}/feedback/${innkeep.appId}`);
  await page.getByLabel("E-mail").fill(innkeep.email);
  await page.getByLabel("Password").fill(innkeep.password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await expect(page.getByText("The map is upside down.").first()).toBeVisible();
});

test("a person is asked to try later while the server is busy", async ({ page, appUrl, innkeep }) => {
  await innkeep.addFault({ path: "/api/v1/feedback", status: 503 });
  await page.goto(appUrl);
  await page.getByLabel("What is wrong?").fill("The compass spins.");
  await page.getByRole("button", { name: "Send" }).click();
  await expect(page.getByRole("alert")).toHaveText("Please try again later.");
});
