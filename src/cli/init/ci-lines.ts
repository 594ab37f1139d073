import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Context } from "../core/context.ts";

export type CiService = "github" | "gitlab" | "circleci" | "jenkins" | "shell" | "none";

/** The lines for one service: the file that they belong into, and the text. */
export interface CiLines {
  readonly service: CiService;
  readonly file: string | null;
  readonly text: string;
}

const command =
  'innkeep feedback send --base-url SERVER --type bug --subject "Tests failed" --message @test-output.txt --dedupe-key tests --best-effort';
/** The lines call the installed command, which no registry has to have. (rule L56) */
const installed =
  "innkeep must be installed in the job: npm install --global TARBALL, see docs/ci.md, Where the command comes from";
const tests = "npm test > test-output.txt 2>&1 || { cat test-output.txt; exit 1; }";

const github = `# .github/workflows/…: in the job of the tests; INNKEEP_API_KEY is a secret of the repository
      - run: ${tests}
      - if: failure()
        uses: innkeep/innkeep@v0
        with:
          command: feedback send
          base-url: SERVER
          api-key: \${{ secrets.INNKEEP_API_KEY }}
          type: bug
          subject: Tests failed
          message: "@test-output.txt"
          dedupe-key: tests
          best-effort: true`;

const gitlab = `# .gitlab-ci.yml: in the job of the tests; INNKEEP_API_KEY is a masked variable of the project
# ${installed}
  script:
    - ${tests}
  after_script:
    - |
      if [ "$CI_JOB_STATUS" = failed ]; then
        ${command}
      fi`;

const circleci = `# .circleci/config.yml: in the steps of the tests; INNKEEP_API_KEY is a variable of the project
# ${installed}
      - run: ${tests}
      - run:
          name: Report the failure
          when: on_fail
          command: ${command}`;

const jenkins = `// Jenkinsfile: innkeep-api-key is a credential of the kind Secret text
// ${installed}
  environment {
    INNKEEP_API_KEY = credentials('innkeep-api-key')
  }
  stages {
    stage('Test') {
      steps {
        sh '${tests}'
      }
    }
  }
  post {
    failure {
      sh '${command}'
    }
  }`;

const shell = `# in a step that runs after a failure; INNKEEP_API_KEY is a secret of your CI service
# ${installed}
${command}`;

const services: Readonly<Record<Exclude<CiService, "none">, { file: string | null; text: string }>> = {
  github: { file: ".github/workflows", text: github },
  gitlab: { file: ".gitlab-ci.yml", text: gitlab },
  circleci: { file: ".circleci/config.yml", text: circleci },
  jenkins: { file: "Jenkinsfile", text: jenkins },
  shell: { file: null, text: shell },
};

/** The lines of the service that is given, or of those whose files are in the folder; else one line of shell. */
export function ciLines(
  { cwd }: Pick<Context, "cwd">,
  { server, service: given }: { readonly server: string; readonly service: CiService | undefined },
): CiLines[] {
  if (given === "none") return [];
  const names = given ? [given] : namesOf(cwd);
  // A path may hold signs that mean something to a shell.
  const address = server.replace(/[^\w.:/%[\]-]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`);
  return names.map((service) => {
    const { file, text } = services[service];
    // A job sends no key to a server that only a file of the checkout names.
    return { service, file, text: text.replaceAll("SERVER", address) };
  });
}

const traces = [
  ["github", ".github"],
  ["gitlab", ".gitlab-ci.yml"],
  ["circleci", ".circleci"],
  ["jenkins", "Jenkinsfile"],
] as const;

function namesOf(cwd: string): readonly Exclude<CiService, "none">[] {
  const found = traces.filter(([, file]) => existsSync(join(cwd, file))).map(([service]) => service);
  return found.length > 0 ? found : ["shell"];
}
