import { pictureOf } from "../pictures/console/picture-names.ts";
import { type ConsoleScene, consoleScenes } from "../pictures/console/scenes.ts";

const head = `# Pictures of the console

Every page, on a desktop and on a phone. The pictures follow the light or dark scheme of your reader.
They show the server of \`innkeep serve --demo\`. \`npm run pictures console\` draws them anew.
`;

/** `docs/console.md`. */
export const consolePage = (): string => `${[head, ...consoleScenes.map(section)].join("\n")}`;

const section = (scene: ConsoleScene): string => `## ${scene.title}

${scene.says}

${picture(scene, "desktop", 640)} ${picture(scene, "phone", 200)}
`;

function picture(scene: ConsoleScene, device: "desktop" | "phone", width: number): string {
  const [light, dark] = (["light", "dark"] as const).map(
    (theme) => `pictures/console/${pictureOf(scene, { device, theme })}`,
  );
  return `<picture><source media="(prefers-color-scheme: dark)" srcset="${dark}"><img src="${light}" width="${width}" alt="${scene.title}, ${device}"></picture>`;
}
