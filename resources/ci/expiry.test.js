// Checks the expiry of keys in a Jest suite, by `latchkey-cli expect --json`.
//
// Copy this file into your tests, keep `expectKeys`, and replace login and the tests by your own. LATCHKEY_URL names the
// server, LATCHKEY_CLI the program if it is not in PATH. See resources/manual/ci.md.

const { execFile } = require("node:child_process");
const { promisify } = require("node:util");
const Redis = require("ioredis");

const url = process.env.LATCHKEY_URL ?? "redis://127.0.0.1:6379";
const cli = process.env.LATCHKEY_CLI ?? "latchkey-cli";

// Watches the keys and throws unless every expectation holds. Times start at the first look, so write the key first.
// `watch`: how long to watch, such as "5s"; by default until the verdict on every named key is known.
async function expectKeys(expectations, { watch } = {}) {
  const options = watch === undefined ? [] : ["--for", watch];
  try {
    await promisify(execFile)(cli, ["--url", url, "expect", "--json", ...expectations, ...options]);
  } catch (error) {
    if (!error.stdout) throw error; // Wrong usage, no server, or no latchkey-cli.
    const reasons = JSON.parse(error.stdout).expectations
      .filter((each) => each.outcome !== "holds")
      .map((each) => {
        const judged = each.keys.map((key) => `${key.key}: ${key.outcome}, ${key.text}`);
        return `"${each.expectation}": ${judged.join("; ") || "no key was seen"}`;
      });
    throw new Error([...reasons, error.stderr.trim()].filter(Boolean).join("\n"));
  }
}

jest.setTimeout(20_000); // Above what the keys live.

let server;
beforeAll(() => {
  server = url.startsWith("unix:") ? new Redis(new URL(url).pathname) : new Redis(url);
});
afterAll(async () => {
  await server.del("session:7");
  await server.quit();
});

// Stands for the program under test: a session ends after three seconds.
const login = () => server.set("session:7", "ann", "PX", 3000);

test("a session ends", async () => {
  await login();
  await expectKeys(["session:7 gone between 1s and 4s"]);
});

test("no session stays for ever", async () => {
  await login();
  await expectKeys(["session:* never without expiry"], { watch: "500ms" });
});
